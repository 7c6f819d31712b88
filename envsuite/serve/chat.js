"use strict";

// What is said at a table, and what this seat says. Words of others are only ever text, never part of the page.

const muted = new Set(); // names of agents, of this page alone
let talk = null, me = "", floor = null;
let guess = null; // the action that the words may mean
let saying = 0; // the number of the message with our words, until it is acknowledged

function openChat(found) {
  talk = found.talk ?? null;
  me = found.agent;
  $("chat").hidden = !talk;
  $("whom").hidden = !talk?.alone.length;
  $("to").replaceChildren(...["all", ...talk?.alone ?? []].map((name, k) => new Option(name, k ? name : "")));
}

// Add lines below the others; a reader who looks at earlier ones stays there.
function hear({ said, new: first }) {
  const log = $("said"), below = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
  if (first) log.replaceChildren();
  log.append(...said.map(line));
  if (first || below) log.scrollTop = log.scrollHeight;
}

function line({ who, to, text, act }) {
  const row = document.createElement("li"), own = who === me;
  row.dataset.who = who;
  row.className = own ? "own" : "";
  row.append(part("b", own ? "You" : who));
  if (to.length) row.append(part("span", `to ${to.map((agent) => agent === me ? "you" : agent).join(", ")}`, "aside"));
  if (!own) row.append(Object.assign(part("button", "", "aside"), { onclick: () => mute(who) }));
  row.append(part("p", text));
  if (act) row.append(part("span", talk.mode === "free" ? `meant: ${act}` : act, "aside"));
  return marked(row);
}

function part(kind, textContent, className = "") {
  return Object.assign(document.createElement(kind), { textContent, className });
}

// Hide the words of somebody who is muted here, or show them.
function marked(row) {
  const hidden = muted.has(row.dataset.who), button = row.querySelector("button");
  row.classList.toggle("muted", hidden);
  if (button) button.textContent = hidden ? "unmute" : "mute";
  return row;
}

function mute(who) {
  if (!muted.delete(who)) muted.add(who);
  for (const row of $("said").children) marked(row);
}

// Show what this seat may say now, and forget what it has said.
function showFloor({ person, over, done, number }) {
  floor = state.floor ?? null;
  if (saying && number >= saying) {
    saying = 0;
    $("own").value = "";
    showGuess(null);
  }
  $("speak").hidden = !talk || !person || over || done;
  $("own").disabled = !floor;
  $("own").placeholder = floor ? `say something to ${floor.to}` : "you cannot say anything now";
  $("alone").hidden = !floor || (!talk.any && floor.neutral === null);
  if (floor) $("alone").textContent = talk.any ? "Say it" : `Just say it (${names[floor.neutral]})`;
  countWords();
}

// Offer the action that the server has found in the words: Enter takes it.
function showGuess(action) {
  guess = floor && state.legal.includes(action) ? action : null;
  $("guess").hidden = guess === null;
  $("guess").textContent = guess === null ? "" : `Say it: ${names[guess]}`;
  if (guess !== null) $("guess").focus();
}

function countWords() {
  const words = $("own").value.trim() ? $("own").value.trim().split(/\s+/).length : 0;
  const meaning = talk?.mode === "free" ? "then press what you mean by it, which the others do not see" : "then press your action";
  $("alone").disabled = !words;
  $("floor").textContent = !floor ? "" : words ? `${words} of ${floor.words} words${talk.any ? "" : `; ${meaning}`}. ${floor.acts}` : floor.acts;
  $("floor").className = floor && words > floor.words ? "wrong" : "";
}

// What is written, and to whom, for the message with this number; nothing if nothing is.
function ownWords(number) {
  const words = talk && floor ? $("own").value.trim() : "", to = $("to").value;
  if (words) saying = number;
  return words ? { words, ...(to ? { to } : {}) } : {};
}

function sayAlone() {
  if (floor && $("own").value.trim()) send(talk.any ? {} : { act: floor.neutral }, true);
}

$("own").oninput = () => {
  showGuess(null);
  countWords();
};
$("guess").onclick = () => send({ act: guess });
$("own").onkeydown = (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (talk.any) sayAlone(); else if ($("own").value.trim()) socket.send(JSON.stringify({ mean: $("own").value }));
};
$("speak").onsubmit = (event) => {
  event.preventDefault();
  sayAlone();
};
