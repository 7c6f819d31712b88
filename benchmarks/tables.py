"""Load on a server of tables: people at ticked tables of Overcooked, all on this machine.

    python benchmarks/tables.py --tables 50 --people 4 --tick 6 --seconds 30

Each person is a connection that sends an action for every picture and notes when it came. The delay of a tick is the
time by which its message comes later than a clock that the person's earliest messages fit. Delays wrap around at the
length of a tick, so they mean something only if each person gets as many messages as there are ticks; the first line
shows that.
"""

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np
from websockets.asyncio.client import connect


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def post(origin, path, content):
    headers = {"Content-Type": "application/json", "Origin": origin}
    request = urllib.request.Request(origin + path, json.dumps(content).encode(), headers)
    return json.loads(urllib.request.urlopen(request).read())


async def person(url, origin, secret, seconds, rng, arrivals):
    async with connect(url, origin=origin, max_size=None) as page:
        await page.send(json.dumps({"join": secret}))
        number, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            text = await page.recv()
            arrivals.append(time.monotonic())
            if '"legal":[]' not in text and '"picture"' in text:
                number += 1
                await page.send(json.dumps({"n": number, "act": int(rng.integers(6))}))


def delays(arrivals, tick):
    """How late each message came, in seconds, against a clock of `tick` per second that the earliest ones fit."""
    late = np.array(arrivals) - np.round((np.array(arrivals) - arrivals[0]) * tick) / tick
    return late - np.percentile(late, 1)


async def crowd(origin, options):
    seats = []
    for _ in range(options.tables):
        id = post(origin, "/api/tables", {"offer": 0})["id"]
        for a in range(options.people):
            seats.append((id, post(origin, f"/api/tables/{id}/seats", {"seat": f"chef_{a}"})["secret"]))
    noted = [[] for _ in seats]
    address = origin.replace("http", "ws", 1)
    await asyncio.gather(
        *(
            person(f"{address}/ws/{id}", origin, secret, options.seconds, np.random.default_rng(k), noted[k])
            for k, (id, secret) in enumerate(seats)
        )
    )
    warm = [[at for at in one if at > min(map(min, noted)) + options.warm] for one in noted]
    found = np.concatenate([delays(one, options.tick) for one in warm if one])
    span = options.seconds - options.warm
    print(f"{len(seats)} people at {options.tables} tables, {options.tick:g} ticks a second, {options.seconds:g} s")
    print(f"messages a second and person: {len(found) / len(seats) / span:.2f}")
    for q in (50, 90, 99, 99.9):
        print(f"{q:g}th percentile of a tick's delay: {1000 * np.percentile(found, q):.1f} ms")


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
            asyncio.run(crowd(f"http://127.0.0.1:{port}", options))
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
