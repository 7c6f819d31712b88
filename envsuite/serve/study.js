"use strict";

// A participant of a study: consent, questions, the way to the tables, the end. The link's part after # is the secret.

let secret = location.hash.slice(1), state = null;

const PROBLEMS = {
  429: "Many people are taking part now. Please try again in a minute.",
  503: "The server cannot store this now. Please try again in a minute.",
};

async function ask(what, content = {}) {
  const answer = await fetch(`/api/study/${what}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ secret, ...content }),
  });
  if (!answer.ok) throw new Error(PROBLEMS[answer.status] ?? "The server does not know this link.");
  return answer.json();
}

function made(kind, content, ...inside) {
  const element = Object.assign(document.createElement(kind), content);
  element.append(...inside);
  return element;
}

function show(found) {
  state = found;
  if (state.kind === "table") { location.replace(`/table/${state.table}#${secret}`); return; }
  const { kind, step, of } = state;
  $("place").textContent = step === undefined ? "" : `Part ${step + 1} of ${of}`;
  $("questions").replaceChildren(...(kind === "questions" ? state.questions.map(question) : []));
  $("problem").textContent = "";
  $("keep").hidden = kind === "consent" || kind === "end";
  $("go").hidden = kind === "end" || (kind === "consent" && state.full);
  $("go").textContent = { consent: "I agree and take part", start: "Start", questions: "Continue" }[kind];
  $("lead").textContent = lead();
  window.scrollTo(0, 0);
}

function lead() {
  const { kind, full, consent, text, left, code } = state;
  if (kind === "consent") return full ? "This study has all its participants. Thank you for your interest." : consent;
  if (kind === "start") return text || "The next part is played.";
  if (kind === "end" && left) return "You have left the study. Thank you.";
  if (kind === "end") return `This is the end. Thank you for taking part.${code ? `\nYour code: ${code}` : ""}`;
  return "";
}

function question(one) {
  const { name, ask: words, kind } = one;
  const field = made("fieldset", { className: kind }, made("legend", { textContent: words + (one.required ? "" : " (optional)") }));
  field.dataset.name = name;
  if (kind === "text") field.append(made("textarea", { name, rows: 3, maxLength: 2000, ariaLabel: words }));
  if (kind === "number") field.append(made("input", { name, type: "number", min: one.least, max: one.most, step: "any", ariaLabel: words }));
  if (kind === "choice") field.append(...one.choices.map((choice) => option(name, choice, choice)));
  if (kind === "scale") {
    const numbers = Array.from({ length: one.most - one.least + 1 }, (_, k) => one.least + k);
    const steps = made("div", { className: "steps" }, ...numbers.map((number) => option(name, number, String(number))));
    const ends = made("div", { className: "ends" }, ...one.labels.map((label) => made("span", { textContent: label })));
    field.append(steps, ends);
  }
  field.append(made("p", { className: "wrong" }));
  return field;
}

function option(name, value, text) {
  return made("label", {}, made("input", { type: "radio", name, value }), made("span", { textContent: text }));
}

function given() {
  const found = {}, values = new FormData($("form"));
  for (const { name, kind } of state.questions) {
    const value = values.get(name);
    if (value !== null && value !== "") found[name] = kind === "number" || kind === "scale" ? Number(value) : value;
  }
  return found;
}

function mark(wrong) {
  const fields = [...$("questions").children];
  for (const field of fields) field.querySelector(".wrong").textContent = wrong[field.dataset.name] ?? "";
  fields.find((field) => wrong[field.dataset.name])?.scrollIntoView({ block: "center" });
}

async function go() {
  if (state.kind === "consent") {
    secret = (await ask("agree", { id: new URLSearchParams(location.search).get("id") ?? "" })).secret;
    history.replaceState(null, "", `/#${secret}`);
    show(await ask("now"));
  } else if (state.kind === "start") show(await ask("start"));
  else {
    const found = await ask("answers", { step: state.step, answers: given() });
    if (found.wrong) mark(found.wrong); else show(found);
  }
}

async function trying(work) {
  $("go").disabled = true;
  try { await work(); } catch (error) {
    const reached = !(error instanceof TypeError); // which fetch throws without a connection
    $("problem").textContent = reached ? error.message : "The server cannot be reached. Please try again.";
  }
  $("go").disabled = false;
}

$("form").onsubmit = (event) => { event.preventDefault(); trying(go); };
$("leave").onclick = () => { if (confirm("Do you want to leave the study?")) trying(async () => show(await ask("leave"))); };
$("theme").onclick = () => document.documentElement.classList.toggle("dark");
document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
window.onhashchange = () => location.reload();
trying(async () => {
  const about = await (await fetch("/api/study")).json();
  document.title = $("title").textContent = about.title;
  show(secret ? await ask("now") : { kind: "consent", ...about });
});
