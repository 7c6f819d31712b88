"""Load on a server of tables: people at ticked tables of Overcooked, all on this machine.

    python benchmarks/tables.py --tables 50 --people 4 --tick 6 --seconds 30

Each person is a connection that sends an action for every picture and notes when it came, and which step it shows. The
delay of a tick is the time from the moment when it was due to the message. It was due by the clock that the earliest
steps in the table's journal fit; a step that is late, or that never comes, counts. The people of each table have an
address of their own, as behind a proxy, since the server limits what an address may do.
"""

import argparse
import asyncio
import json
import math
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from websockets.asyncio.client import connect

#: The footer of a picture.
SHOWN = re.compile(r"\b(\d+) / 400\b")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def forwarded(table):
    """The header by which a proxy says whom it stands for."""
    return {"X-Forwarded-For": f"192.0.2.{1 + table}"}


def post(origin, path, content, table):
    headers = {"Content-Type": "application/json", "Origin": origin, **forwarded(table)}
    request = urllib.request.Request(origin + path, json.dumps(content).encode(), headers)
    return json.loads(urllib.request.urlopen(request).read())


async def person(url, origin, table, secret, seconds, rng, arrivals):
    async with connect(url, origin=origin, additional_headers=forwarded(table), max_size=None) as page:
        await page.send(json.dumps({"join": secret}))
        number, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            text = await page.recv()
            if shown := SHOWN.search(text):
                arrivals.append((int(shown[1]), time.time()))
            if '"legal":[]' not in text and '"picture"' in text:
                number += 1
                await page.send(json.dumps({"n": number, "act": int(rng.integers(6))}))


def due_times(journal, tick, begin, end):
    """When each step of a table between two times was due, in seconds since 1970, by the number of the step."""
    events = map(json.loads, journal.read_text().splitlines())
    steps = list(enumerate((event["time"] for event in events if "step" in event), start=1))
    first = min(time - k / tick for k, time in steps if begin < time < end)
    return {k: first + k / tick for k, _ in steps if begin < first + k / tick < end}


async def crowd(origin, folder, options):
    seats = []
    for table in range(options.tables):
        id = post(origin, "/api/tables", {"offer": 0}, table)["id"]
        for a in range(options.people):
            seat = {"seat": f"chef_{a}"}
            seats.append((id, table, post(origin, f"/api/tables/{id}/seats", seat, table)["secret"]))
    noted = [[] for _ in seats]
    address = origin.replace("http", "ws", 1)
    await asyncio.gather(
        *(
            person(f"{address}/ws/{id}", origin, table, secret, options.seconds, np.random.default_rng(k), noted[k])
            for k, (id, table, secret) in enumerate(seats)
        )
    )
    end = min(one[-1][1] for one in noted) - 1.0
    found, due = [], 0
    for (id, _, _), one in zip(seats, noted):
        steps = due_times(folder / f"{id}.journal", options.tick, end - options.seconds + options.warm, end)
        came = dict(one)
        found += [came.get(k, math.inf) - time for k, time in steps.items()]
        due += round((options.seconds - options.warm) * options.tick)
    print(f"{len(seats)} people at {options.tables} tables, {options.tick:g} ticks a second, {options.seconds:g} s")
    print(f"messages: {np.isfinite(found).sum():,} of {due:,} that were due")
    for q in (50, 90, 99, 99.9):
        print(f"{q:g}th percentile of a tick's delay: {1000 * np.percentile(found, q, method='higher'):.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, usual in (("tables", 50), ("people", 4), ("tick", 6.0), ("seconds", 30.0), ("warm", 8.0)):
        parser.add_argument(f"--{name}", type=type(usual), default=usual)
    options = parser.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "envsuite.cli", "serve", "Overcooked", "-p", f"chefs={options.people}",
            "-p", "layout=generated", "--tick", str(options.tick), "--folder", folder, "--port", str(port),
        ]  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            for _ in range(300):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
                    break
                except OSError:
                    time.sleep(0.1)
            asyncio.run(crowd(f"http://127.0.0.1:{port}", Path(folder), options))
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
