// The drawing of scenes in a browser: exported pages and served tables use it.

"use strict";
const $ = (id) => document.getElementById(id);

// Reading: a sequence of lists, each kept as its edits to the one before (see page.py).

function edited(list, edits) {
  if (!edits.length) return list;
  const made = [];
  let at = 0;
  for (let k = 0; k < edits.length;) {
    const keep = edits[k++], drop = edits[k++];
    let insert = edits[k++];
    for (const end = at + keep; at < end;) made.push(list[at++]);
    at += drop;
    while (insert-- > 0) made.push(edits[k++]);
  }
  while (at < list.length) made.push(list[at++]);
  return made;
}

// Painting: as envsuite.render.frames does, with places in parts of a unit.

let data, unit;

function css(name) {
  const [base, opacity] = name.split("@");
  const colors = data.colors[document.documentElement.classList.contains("dark") ? "dark" : "light"];
  const [red, green, blue] = colors[base];
  return `rgba(${red},${green},${blue},${opacity === undefined ? 1 : opacity})`;
}

function paint(canvas, film, k, width, height) {
  const [across, down, ground] = film.grounds.get(k);
  const ratio = window.devicePixelRatio || 1;
  let scale = Math.min(width * ratio * unit / across, height * ratio * unit / down);
  if (scale >= 8) scale = Math.floor(scale);
  canvas.width = Math.max(1, Math.round(across * scale / unit));
  canvas.height = Math.max(1, Math.round(down * scale / unit));
  canvas.style.width = `${canvas.width / ratio}px`;
  canvas.style.height = `${canvas.height / ratio}px`;
  const context = canvas.getContext("2d");
  context.fillStyle = css(film.sprites[ground][1]);
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.lineCap = context.lineJoin = "round";
  const [kinds, xs, ys] = film.items;
  for (const item of film.frames.get(k)) {
    shape(context, film.sprites[kinds[item]], xs[item], ys[item], scale / unit, across);
  }
}

function shape(context, sprite, x, y, scale, across) {
  if (sprite[0] === "t") return label(context, sprite, x, y, scale, across);
  const line = sprite[0] === "l";
  const fill = line ? null : sprite[1], stroke = line ? sprite[1] : sprite[2];
  const thick = Math.max(1, Math.round((line ? sprite[2] : sprite[3]) * scale));
  context.lineWidth = thick;
  if (fill !== null) context.fillStyle = css(fill);
  if (stroke !== null) context.strokeStyle = css(stroke);
  if (sprite[0] === "r") {
    // Edges are rounded each for itself, so that neighbours meet without a seam.
    const left = Math.round(x * scale), top = Math.round(y * scale);
    const width = Math.max(1, Math.round((x + sprite[4]) * scale) - left);
    const height = Math.max(1, Math.round((y + sprite[5]) * scale) - top);
    const radius = sprite[6] * scale;
    if (fill !== null) {
      context.beginPath();
      context.roundRect(left, top, width, height, radius);
      context.fill();
    }
    if (stroke !== null) { // inside the edge
      context.beginPath();
      context.roundRect(left + thick / 2, top + thick / 2, Math.max(0, width - thick), Math.max(0, height - thick),
        Math.max(0, radius - thick / 2));
      context.stroke();
    }
    return;
  }
  context.beginPath();
  if (sprite[0] === "c") {
    context.arc(x * scale, y * scale, Math.max(sprite[4] * scale, 0.5), 0, 2 * Math.PI);
  } else {
    const points = sprite[line ? 3 : 4];
    context.moveTo(x * scale, y * scale);
    for (let k = 2; k < points.length; k += 2) context.lineTo((x + points[k]) * scale, (y + points[k + 1]) * scale);
    if (!line) context.closePath();
  }
  if (fill !== null) context.fill();
  if (stroke !== null) context.stroke();
}

function label(context, sprite, x, y, scale, across) {
  const [, color, size, align, bold, width, text] = sprite;
  context.font = `${bold ? "bold " : ""}${Math.max(1, size * scale)}px ${bold ? "" : "Scene, "}"FreeSans", "Liberation Sans", Helvetica, Arial, sans-serif`;
  context.textAlign = align;
  context.fillStyle = css(color);
  const room = Math.min(width ?? across, across) * scale;
  let words = text.split(/\r?\n/).join(" ");
  if (context.measureText(words).width > room) {
    while (words && context.measureText(words.trimEnd() + "...").width > room) words = words.slice(0, -1);
    words = words ? words.trimEnd() + "..." : "";
  }
  context.fillText(words, x * scale, y * scale + 0.35 * size * scale);
}
