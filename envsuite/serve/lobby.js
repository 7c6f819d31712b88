"use strict";

async function post(path, content) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) });
  return answer.ok ? answer.json() : null;
}

async function sit(id, seat) {
  const got = await post(`/api/tables/${id}/seats`, { seat });
  if (got) location.href = `/table/${id}#${got.secret}`; else list();
}

// The secrets of tables that this browser has opened, by which it may close them.
let makers = {};
try { makers = JSON.parse(localStorage.getItem("makers") ?? "{}"); } catch { /* this browser keeps nothing */ }

function remember(id, maker) {
  if (maker) makers[id] = maker; else delete makers[id];
  try { localStorage.setItem("makers", JSON.stringify(makers)); } catch { /* until this page is left */ }
}

async function close(id) {
  if (await post(`/api/tables/${id}/close`, { maker: makers[id] })) remember(id);
  list();
}

function button(text, does) {
  return Object.assign(document.createElement("button"), { textContent: text, onclick: does });
}

async function list() {
  const { tables, offers } = await (await fetch("/api/tables")).json();
  $("none").hidden = tables.length > 0;
  $("new").hidden = !offers.length;
  $("offers").replaceChildren(...offers.map((world, offer) => button(world, async () => {
    const got = await post("/api/tables", { offer });
    if (got) remember(got.id, got.maker);
    $("full").hidden = got !== null;
    list();
  })));
  $("tables").replaceChildren(...tables.map((table) => {
    const row = document.createElement("li");
    row.append(Object.assign(document.createElement("b"), { textContent: table.world }));
    for (const [agent, kind] of table.seats) {
      if (kind === "free") row.append(button(`sit: ${agent}`, () => sit(table.id, agent)));
      else row.append(Object.assign(document.createElement("span"), { textContent: `${agent}: ${kind}` }));
    }
    row.append(button("watch", () => { location.href = `/table/${table.id}`; }));
    if (makers[table.id]) row.append(button("close", () => close(table.id)));
    return row;
  }));
}

list();
setInterval(() => { if (!document.hidden) list(); }, 5000);
