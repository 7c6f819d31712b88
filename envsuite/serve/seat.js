"use strict";

// One seat of a table, or a spectator. The link's part after # is the seat's secret.

const SHOWN = 80; // buttons of actions, at most; the others are typed
const secret = location.hash.slice(1), place = location.pathname.split("/").pop();
let socket, names = [], keys = {}, state = null, sent = 0, pause = 500, ticked = false, study = false, started = false;
let shown = 0; // when the present state was shown
let answered = true; // whether a state has come since the last choice
const list = { sprites: [], items: [[], [], []], ground: [], frame: [] };
const film = {
  get sprites() { return list.sprites; },
  get items() { return list.items; },
  grounds: { get: () => list.ground },
  frames: { get: () => list.frame },
};

function connect() {
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/${place}`);
  socket.onopen = () => socket.send(JSON.stringify(secret ? { join: secret } : { watch: true }));
  socket.onmessage = (event) => take(JSON.parse(event.data));
  socket.onclose = (event) => {
    if (event.code === 4401) { $("turn").textContent = "There is no such seat."; return; }
    $("turn").textContent = "The connection is lost; this page connects again.";
    takeBack();
    setTimeout(connect, pause);
    pause = Math.min(2 * pause, 8000);
  };
}

function take(message) {
  if (message.welcome) return welcome(message.welcome);
  if (message.said) return hear(message);
  if (message.means !== undefined) return showGuess(message.means);
  if (message.rules) { $("rules").textContent = message.rules; return; }
  if (message.problem) {
    $("problem").textContent = message.problem;
    answered = true;
    if (message.of === saying?.number) takeBack();
    return;
  }
  if (message.notice) { $("turn").textContent = message.notice; return; }
  if (message.hidden) { $("turn").textContent = "This table is shown to spectators when the episode is over."; return; }
  const { picture } = message;
  if (!picture) { $("text").textContent = message.text; return; } // the page asked for it
  if (picture.fresh) Object.assign(list, { sprites: [], items: [[], [], []], ground: [], frame: [] });
  list.sprites.push(...picture.sprites);
  picture.items.forEach((column, k) => list.items[k].push(...column));
  list.ground = edited(list.ground, picture.ground);
  list.frame = edited(list.frame, picture.frame);
  state = message;
  shown = performance.now();
  answered = true;
  if (message.number !== undefined) sent = Math.max(sent, message.number);
  draw();
  show();
}

function welcome(found) {
  pause = 500;
  data = { colors: found.colors };
  unit = found.unit;
  names = found.actions;
  keys = found.keys;
  document.title = $("world").textContent = found.world;
  $("who").textContent = found.agent ? `You are ${found.agent}.` : "You are watching.";
  $("rules").textContent = found.rules ?? "";
  $("about").hidden = !found.rules;
  $("more").href = `${location.pathname}/world`;
  $("more").hidden = found.study;
  openChat(found);
  ticked = found.ticked;
  study = found.study;
  if (!started) $("knows").open = !ticked; // where a clock runs, the text is sent while it is shown
  started = true;
  reading();
  $("problem").textContent = "";
}

function reading() {
  if (ticked && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ text: $("knows").open }));
}

function draw() {
  if (state) paint($("picture"), film, 0, $("stage").clientWidth, $("stage").clientHeight);
}

function show() {
  const { legal = [], turn = "", person } = state;
  $("turn").textContent = turn;
  $("turn").className = legal.length && person ? "mine" : "";
  if (state.text !== undefined) $("text").textContent = state.text;
  $("return").textContent = state.return === undefined ? "" : `Return ${state.return}`;
  $("again").hidden = !(state.over || state.done) || person === undefined;
  $("again").textContent = state.done ? "Continue" : study ? "Next round" : "Play again";
  $("hand").hidden = person === undefined || study;
  $("hand").textContent = person ? "Let a policy play" : "Take over";
  $("typed").hidden = !person || state.over || state.done;
  showFloor(state);
  const wanted = person ? legal.slice(0, SHOWN) : [];
  const key = wanted.join();
  if ($("actions").dataset.key !== key) { // buttons stay while they mean the same, so that a tap is never lost
    $("actions").dataset.key = key;
    $("actions").replaceChildren(...wanted.map((action) =>
      Object.assign(document.createElement("button"), { textContent: names[action], onclick: () => send({ act: action }) })));
  }
}

// Send a message; words go with a choice, but where a clock runs they go alone.
function send(what, speaks = !talk?.any) {
  if (socket.readyState !== WebSocket.OPEN) return;
  $("problem").textContent = "";
  answered = false;
  if ("hand" in what || "again" in what) { socket.send(JSON.stringify(what)); return; }
  sent++;
  socket.send(JSON.stringify({ n: sent, ms: Math.round(performance.now() - shown), ...(speaks ? ownWords(sent) : {}), ...what }));
}

const OTHER = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", " ": "space", Enter: "return" };

window.onkeydown = (event) => {
  if (event.target === $("words") || event.target === $("own") || event.ctrlKey || event.metaKey || event.altKey || !state) return;
  const action = keys[OTHER[event.key] ?? event.key.toLowerCase()];
  if (action === undefined) return;
  event.preventDefault();
  // A held key repeats faster than a table plays: it is one choice for each picture.
  if (!event.repeat || answered) send({ act: action });
};
$("typed").onsubmit = (event) => {
  event.preventDefault();
  if ($("words").value.trim()) send({ say: $("words").value });
  $("words").value = "";
};
$("picture").onclick = (event) => {
  const box = $("picture").getBoundingClientRect(), [across, down] = list.ground;
  if (!secret) return;
  const x = (event.clientX - box.left) / box.width * across / unit;
  const y = (event.clientY - box.top) / box.height * down / unit;
  send({ click: [x, y] });
};
$("knows").ontoggle = reading;
$("hand").onclick = () => send({ hand: !state.person });
$("again").onclick = () => { if (state.done) location.replace(`/#${secret}`); else send({ again: true }); };
$("theme").onclick = () => { document.documentElement.classList.toggle("dark"); draw(); };
window.onresize = draw;
document.documentElement.classList.toggle("dark", matchMedia("(prefers-color-scheme: dark)").matches);
document.fonts.load("12px Scene").catch(() => {}).then(connect);
