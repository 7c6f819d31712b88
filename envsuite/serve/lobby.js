"use strict";

async function post(path, content) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(content) });
  return answer.ok ? answer.json() : null;
}

async function sit(id, seat) {
  const got = await post(`/api/tables/${id}/seats`, { seat });
  if (got) location.href = `/table/${id}#${got.secret}`; else list();
}

function button(text, does) {
  return Object.assign(document.createElement("button"), { textContent: text, onclick: does });
}

async function list() {
  const { tables, offers } = await (await fetch("/api/tables")).json();
  $("none").hidden = tables.length > 0;
  $("new").hidden = !offers.length;
  $("offers").replaceChildren(...offers.map((world, offer) => button(world, async () => {
    await post("/api/tables", { offer });
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
    return row;
  }));
}

list();
setInterval(() => { if (!document.hidden) list(); }, 5000);
