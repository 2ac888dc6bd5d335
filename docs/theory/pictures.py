#!/usr/bin/env python3
"""Draws the pictures of this folder: `docs/theory/pictures.py` writes them, `--check` fails where one differs.

The rates of sharing.svg are computed here, by the algorithm that sharing.md describes. Every picture has a background of its
own, so it is readable on light and dark pages, and follows the reader's colour scheme.
"""
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
STYLE = """
.bg{fill:#fbfbf9}.t{fill:#1d2128}.m{fill:#5b6270}.l{stroke:#1d2128;fill:none}.g{stroke:#b9bec7;fill:none}
.n{fill:#e7e9ee;stroke:#5b6270}.e{fill:#fbfbf9;stroke:#5b6270}
.A{fill:#2b6cb0}.B{fill:#c2570c}.C{fill:#2f855a}.w{fill:#c9ced6}.x{fill:#b83280}
.sA{stroke:#2b6cb0;fill:none}.sB{stroke:#c2570c;fill:none}.sC{stroke:#2f855a;fill:none}.sx{stroke:#b83280;fill:none}.o{fill:#fff}
@media(prefers-color-scheme:dark){.bg{fill:#14171d}.t{fill:#e8eaee}.m{fill:#a3abb8}.l{stroke:#e8eaee}.g{stroke:#444b57}
.n{fill:#2a303a;stroke:#8a93a1}.e{fill:#14171d;stroke:#8a93a1}.A{fill:#63a4e8}.B{fill:#f0914a}.C{fill:#5dc08a}.w{fill:#4a515d}
.x{fill:#ea7fbd}.sA{stroke:#63a4e8}.sB{stroke:#f0914a}.sC{stroke:#5dc08a}.sx{stroke:#ea7fbd}.o{fill:#14171d}}
"""


class Picture:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def text(self, x, y, text, kind="t", anchor="start", size=13):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}">{text}</text>')

    def rect(self, x, y, width, height, kind, radius=0):
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}"/>')

    def circle(self, x, y, radius, kind):
        self.parts.append(f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{radius}"/>')

    def line(self, points, kind="l", width=1.5, arrow=False, dash=None):
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        more = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<path class="{kind}" d="{path}" stroke-width="{width}"{more}/>')
        if arrow:
            (x0, y0), (x, y) = points[-2:]
            length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
            ux, uy = (x - x0) / length, (y - y0) / length
            corners = [(x + 1.5 * ux, y + 1.5 * uy), (x - 8 * ux - 4.5 * uy, y - 8 * uy + 4.5 * ux), (x - 8 * ux + 4.5 * uy, y - 8 * uy - 4.5 * ux)]
            fill = {"l": "t", "g": "m"}.get(kind, kind[1:])
            self.parts.append(f'<path class="{fill}" d="M{"L".join(f"{a:.1f} {b:.1f}" for a, b in corners)}Z"/>')

    def svg(self):
        width, height = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                f'font-family="sans-serif" role="img"><title>{self.title}</title><style>{STYLE}</style>'
                f'<rect class="bg" width="{width}" height="{height}" rx="6"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def replay():
    """An eager message and one that waits for its receive, as two lanes of ranks."""
    p = Picture(760, 330, "Time of two ranks with an eager message and with one that waits for its receive")
    scale, left = 2.9, 110

    def lanes(y, title, message, bars):
        p.text(20, y, title)
        for rank in (0, 1):
            p.text(20, y + 34 + 44 * rank, f"rank {rank}", "m")
            p.line([(left, y + 46 + 44 * rank), (735, y + 46 + 44 * rank)], "g", 1)
            for start, end, kind in bars[rank]:
                p.rect(left + scale * start, y + 18 + 44 * rank, scale * (end - start), 24, kind, 2)
        (start, end) = message
        p.line([(left + scale * start, y + 43), (left + scale * end, y + 61)], "l", 1.5, True)

    lanes(30, "10 kB, eager: leaves when it is sent; the receive finds it there", (0.5, 9),
          [[(0, 1.2, "B")], [(0, 100, "A")]])
    lanes(160, "1 MB: starts when the send and the receive are both posted", (100, 104),
          [[(0, 100, "w"), (100, 104, "x"), (104, 184, "C")], [(0, 100, "A"), (100, 104, "x"), (104, 184, "C")]])
    for time in range(0, 201, 50):
        p.text(left + scale * time, 281, f"{time} us", "m", "middle", 12)
    for at, (kind, name) in enumerate([("A", "compute"), ("w", "waiting"), ("x", "latency (drawn wider)"), ("C", "bandwidth"), ("B", "send")]):
        x = [110, 210, 305, 485, 595][at]
        p.rect(x, 300, 14, 14, kind, 2)
        p.text(x + 20, 312, name, "m", size=12)
    return p


def max_min(capacity, flows):
    """Progressive filling. `capacity`: link to Gbit/s; `flows`: name to its links. Returns name to rate."""
    rates, rising = {}, dict(flows)
    while rising:
        level = {}
        for link, size in capacity.items():
            crossing = [name for name in rising if link in flows[name]]
            settled = sum(rate for name, rate in rates.items() if link in flows[name])
            if crossing:
                level[link] = (size - settled) / len(crossing)
        full = min(level, key=level.get)
        for name in [name for name in rising if full in flows[name]]:
            rates[name] = level[full]
            del rising[name]
    return rates


def course(capacity, flows, gigabits):
    """Intervals (start, end in ms, rates) until all flows have ended."""
    left, now, found = dict(gigabits), 0.0, []
    while left:
        rates = max_min(capacity, {name: flows[name] for name in left})
        step = min(left[name] / rates[name] for name in left)
        found.append((now, now + 1000 * step, rates))
        now += 1000 * step
        left = {name: size - rates[name] * step for name, size in left.items() if size - rates[name] * step > 1e-9}
    return found


def sharing():
    capacity = {"link 1": 100, "link 2": 40}
    flows = {"A": {"link 1", "link 2"}, "B": {"link 1"}, "C": {"link 2"}}
    p = Picture(760, 320, "Three flows on two links: their max-min fair rates, and how these change as flows end")
    for at, name in enumerate(["switch 0", "switch 1", "switch 2"]):
        x = 40 + 120 * at
        p.rect(x - 13, 60, 26, 90, "n", 4)
        p.text(x, 50, name, "m", "middle", 12)
    for at, (link, size) in enumerate(capacity.items()):
        p.text(100 + 120 * at, 170, link, "t", "middle")
        p.text(100 + 120 * at, 187, f"{size} Gbit/s", "m", "middle", 12)
    for y, first, last, name in [(78, 0, 2, "A"), (105, 0, 1, "B"), (132, 1, 2, "C")]:
        p.line([(40 + 120 * first, y), (38 + 120 * last, y)], f"s{name}", 3, True)
        p.text(60 + 120 * first, y - 6, name, name)
    steps = course(capacity, flows, {"A": 8, "B": 8, "C": 4})
    left, bottom, wide, high = 400, 250, 1.05, 2.1
    p.text(left, 24, "rate, Gbit/s", "m", size=12)
    for rate in range(0, 101, 20):
        p.line([(left, bottom - high * rate), (left + wide * 310, bottom - high * rate)], "g", 1)
        p.text(left - 8, bottom - high * rate + 4, rate, "m", "end", 12)
    for time in range(0, 301, 100):
        p.text(left + wide * time, bottom + 18, f"{time} ms", "m", "middle", 12)
    for name, nudge in (("B", 0), ("A", -1.5), ("C", 1.5)):
        points = []
        for start, end, rates in steps:
            if name in rates:
                y = bottom - high * rates[name] + nudge
                points += [(left + wide * start, y), (left + wide * end, y)]
        p.line([*points, (points[-1][0], bottom)], f"s{name}", 3)
    for name, time, rate in (("B", 45, 84), ("A", 240, 44), ("A", 45, 24), ("C", 145, 8)):
        p.text(left + wide * time, bottom - high * rate, name, name, "middle", 14)
    p.text(20, 230, "Fill at time 0: link 2 is full at level 20,", "m", size=12)
    p.text(20, 248, "where A and C stop; B goes on to 80, where", "m", size=12)
    p.text(20, 266, "link 1 is full. C ends at 200 ms, and A rises.", "m", size=12)
    p.text(left, 300, "A and B have 1 GB, C has 0.5 GB", "m", size=12)
    return p


def routing():
    p = Picture(760, 300, "Three routes from switch 0 to switch 10 of a grid of 4 x 4 switches")
    rules = [("dimension-order", [0, 1, 2, 6, 10], "A", None), ("another shortest path", [0, 4, 5, 6, 10], "B", None),
             ("valiant, by way of 12", [0, 4, 8, 12, 8, 9, 10], "C", 12)]
    for at, (name, route, colour, middle) in enumerate(rules):
        def place(switch, at=at):
            return 45 + 245 * at + 58 * (switch % 4), 60 + 58 * (switch // 4)
        p.text(45 + 245 * at, 28, name)
        for switch in range(16):
            if switch % 4 < 3:
                p.line([place(switch), place(switch + 1)], "g", 1.5)
            if switch < 12:
                p.line([place(switch), place(switch + 4)], "g", 1.5)
        for a, b in zip(route, route[1:]):
            (x0, y0), (x, y) = place(a), place(b)
            # Hops in opposite directions are drawn side by side.
            dx, dy = (4 if y > y0 else -4 if y < y0 else 0), (4 if x < x0 else -4 if x > x0 else 0)
            ux, uy = (x > x0) - (x < x0), (y > y0) - (y < y0)
            p.line([(x0 + dx + 12 * ux, y0 + dy + 12 * uy), (x + dx - 14 * ux, y + dy - 14 * uy)], f"s{colour}", 3, True)
        for switch in range(16):
            end = switch in (0, 10, middle)
            p.circle(*place(switch), 11, colour if end else "n")
            x, y = place(switch)
            p.text(x, y + 4, switch, "o" if end else "m", "middle", 11)
    p.text(45, 282, "Cables that close the torus are left out.", "m", size=12)
    return p


def packets():
    p = Picture(760, 330, "A switch with input buffers in two virtual channels, and the credits that return to the upstream switch")
    p.rect(190, 40, 440, 236, "e", 8)
    p.text(410, 30, "switch", "m", "middle")
    p.text(20, 62, "from other switches", "m", size=12)
    queues = {(0, 0): "BB", (0, 1): "A", (1, 0): "CCC", (1, 1): ""}
    for port in (0, 1):
        y = 90 + 105 * port
        p.line([(20, y + 18), (186, y + 18)], "l", 2, True)
        for vc in (0, 1):
            top = y + 30 * vc - 8
            p.text(206, top + 17, f"VC {vc}", "m", size=12)
            for slot in range(4):
                p.rect(250 + 32 * (3 - slot), top, 30, 24, "n", 2)
            for slot, name in enumerate(queues[port, vc]):
                p.rect(252 + 32 * (3 - slot), top + 2, 26, 20, name, 2)
                p.text(265 + 32 * (3 - slot), top + 17, name, "o", "middle")
    for port, name in ((0, "X"), (1, "Y")):
        y = 108 + 105 * port
        p.circle(600, y, 15, "n")
        p.text(600, y + 5, name, "t", "middle")
        p.line([(617, y), (735, y)], "l", 2, True)
    p.line([(382, 94), (580, 105)], "sB", 2.5, True)
    p.line([(382, 124), (581, 208)], "sA", 2.5, True)
    p.line([(382, 199), (582, 114)], "sC", 2.5, True, "6 4")
    p.line([(186, 250), (24, 250)], "sx", 2, True, "3 4")
    p.text(24, 270, "credit: a slot is free", "x", size=12)
    p.text(206, 264, "B has output X; C waits for it, and blocks all behind it in its channel", "m", size=12)
    p.text(20, 306, "A leaves for Y on its own virtual channel: with one channel per input it would wait behind B.", "m", size=12)
    return p


def deadlock():
    p = Picture(760, 270, "Four packets in a ring that wait for each other, and the same ring with a dateline")
    for at, (title, dateline) in enumerate([("One virtual channel: a cycle", False), ("Two, with a dateline: no cycle", True)]):
        cx, cy, radius = 190 + 380 * at, 145, 78
        p.text(cx, 26, title, "t", "middle")
        corners = [(cx + radius * math.cos(a), cy + radius * math.sin(a)) for a in (math.pi * (k / 2 + 0.25) for k in range(4))]
        for k, (x0, y0) in enumerate(corners):
            x, y = corners[(k + 1) % 4]
            ux, uy = (x - x0) / math.dist((x, y), (x0, y0)), (y - y0) / math.dist((x, y), (x0, y0))
            a, b = (x0 + 17 * ux, y0 + 17 * uy), (x - 17 * ux, y - 17 * uy)
            if dateline:
                ox, oy = 5 * uy, -5 * ux
                # On a ring of four, packets that wrap never take the cable from 1 to 2, others never the one from 3 to 0.
                p.line([(a[0] + ox, a[1] + oy), (b[0] + ox, b[1] + oy)], "g" if k == 3 else "sA", 2.5, k != 3)
                p.line([(a[0] - ox, a[1] - oy), (b[0] - ox, b[1] - oy)], "g" if k == 1 else "sB", 2.5, k != 1)
            else:
                p.line([a, b], "sA", 2.5, True)
        for k, (x, y) in enumerate(corners):
            p.circle(x, y, 15, "n")
            p.text(x, y + 4, k, "t", "middle", 12)
    (x, y) = 190 + 380, 145
    p.line([(x + 36, y), (x + 76, y)], "sx", 2.5, False, "5 4")
    p.text(x + 82, y + 4, "dateline", "x", size=12)
    p.text(190, 258, "each packet holds a channel and waits for the next", "m", "middle", 12)
    p.text(570, 258, "packets that will cross the dateline: channel 1, others: 0", "m", "middle", 12)
    return p


def solver():
    """A repair: the level of the set rises from zero after a flow has ended, and an outsider joins."""
    p = Picture(760, 330, "Repair after the end of flow C: the level rises, B joins at 20, A stops at 40, B at 60; D is not visited")
    capacity = {"link 1": 100, "link 2": 40, "link 3": 60}
    flows = {"A": {"link 1", "link 2"}, "B": {"link 1"}, "C": {"link 2"}, "D": {"link 3"}}
    before = max_min(capacity, flows)
    after = max_min(capacity, {name: flows[name] for name in "ABD"})
    # Link 1 is full below the level of B where A alone rises next to the old rate of B.
    joins = capacity["link 1"] - before["B"]
    left, wide = 150, 5.4
    x = lambda level: left + wide * level
    p.text(20, 28, "C, which shared link 2 with A, has ended", "t")
    for level in range(0, 101, 20):
        p.line([(x(level), 48), (x(level), 252)], "g", 1)
        p.text(x(level), 270, level, "m", "middle", 12)
    p.text(x(100), 288, "level, Gbit/s", "m", "end", 12)
    for y, name, links in ((75, "A", "links 1, 2"), (135, "B", "link 1"), (195, "D", "link 3")):
        p.text(20, y + 14, name, name if name != "D" else "m", size=15)
        p.text(40, y + 13, links, "m", size=12)
        p.text(20, y + 31, f"before: {before[name]:g}", "m", size=12)
        p.line([(x(before[name]), y + 20), (x(before[name]), y + 36)], "l", 2)
    p.rect(x(0), 75, wide * after["A"], 16, "A", 2)
    p.rect(x(joins), 135, wide * (after["B"] - joins), 16, "B", 2)
    p.rect(x(0), 195, wide * after["D"], 16, "w", 2)
    p.line([(x(joins), 60), (x(joins), 153)], "l", 1.5, dash="4 3")
    p.text(x(joins) + 6, 66, "link 1 is full below the level of B: B joins", "t", size=12)
    p.text(x(after["A"]) + 8, 88, "link 2 is full: A settles", "t", size=12)
    p.text(x(after["B"]) + 8, 148, "link 1 is full: B settles", "t", size=12)
    p.text(x(after["D"]) + 8, 208, "not touched: not visited", "m", size=12)
    p.text(20, 312, "Vertical marks below the bars: the rates before. The set is A at first, and A and B from level 20 on.", "m", size=12)
    return p


def main():
    stale = []
    for draw in (replay, sharing, solver, routing, packets, deadlock):
        path, text = HERE / f"{draw.__name__}.svg", draw().svg()
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(f"docs/theory/{path.name} is stale: docs/theory/pictures.py")
    sys.exit("\n".join(stale) or 0)


if __name__ == "__main__":
    main()
