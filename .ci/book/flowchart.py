"""Draws the flow charts that documents have as text, so that pages need no script from elsewhere.

The subset of Mermaid's language that the documents use: `flowchart TD`, chains `a --> b --> c`, and nodes `id`, `id["label"]`
and `id([label])`. Nodes are in layers by the longest path to them, ordered within a layer by the mean place of neighbours.
"""

import html
import re

from pictures import Picture

NODE = re.compile(r'(\w+)(?:\(\[(.*?)\]\)|\["?(.*?)"?\])?$')
HIGH, GAP, STEP = 30, 26, 64


def parse(text):
    """Labels by name, names of rounded nodes, and edges."""
    labels, rounded, edges = {}, set(), []
    for line in text.splitlines():
        if "-->" not in line:
            continue
        chain = []
        for word in line.split("-->"):
            name, round_label, label = NODE.match(word.strip()).groups()
            labels[name] = round_label or label or labels.get(name, name)
            rounded |= {name} if round_label else set()
            chain.append(name)
        edges += list(zip(chain, chain[1:]))
    return labels, rounded, edges


def layered(names, edges):
    """Layer of each node; a source is directly above the first node that it leads to."""
    layer = dict.fromkeys(names, 0)
    for _ in names:
        for a, b in edges:
            layer[b] = max(layer[b], layer[a] + 1)
    for name in names:
        if not any(b == name for _, b in edges):
            layer[name] = min(layer[b] for a, b in edges if a == name) - 1
    return layer


def ordered(layer, edges):
    """Rows of nodes and of bends, which carry an edge through the layers between, and edges from row to row."""
    rows = [[] for _ in range(max(layer.values()) + 1)]
    for name, at in layer.items():
        rows[at].append(name)
    short = []
    for a, b in edges:
        last = a
        for at in range(layer[a] + 1, layer[b]):
            rows[at].append((a, b, at))
            short.append((last, (a, b, at)))
            last = (a, b, at)
        short.append((last, b))
    for turn in range(24):
        down = turn % 2 == 0
        for at in range(len(rows))[:: 1 if down else -1]:
            place = {name: n for row in rows for n, name in enumerate(row)}
            def mean(name, place=place, down=down):
                near = [place[a] if down else place[b] for a, b in short if name == (b if down else a)]
                return sum(near) / len(near) if near else place[name]
            rows[at].sort(key=mean)
    return rows, short


def placed(rows, short, width):
    """Centre of each node: pulled to its neighbours, with the order and the gaps of its row kept."""
    x = {}
    for row in rows:
        at = 0
        for name in row:
            x[name] = at + width(name) / 2
            at += width(name) + GAP
    for turn in range(60):
        for row in rows:
            for name in row:
                near = [x[a] for a, b in short if b == name] + [x[b] for a, b in short if a == name]
                x[name] = sum(near) / len(near)
            # Two sweeps part what overlaps; alternating them favours neither side.
            for names, sign in ((row, 1), (row[::-1], -1))[:: 1 if turn % 2 else -1]:
                for a, b in zip(names, names[1:]):
                    apart = (width(a) + width(b)) / 2 + GAP
                    if sign * (x[b] - x[a]) < apart:
                        x[b] = x[a] + sign * apart
    least = min(x[name] - width(name) / 2 for name in x)
    return {name: value - least + 20 for name, value in x.items()}


def svg(text):
    labels, rounded, edges = parse(text)
    rows, short = ordered(layered(list(labels), edges), edges)
    def width(name):
        return 24 + 7.2 * len(labels[name]) if name in labels else 6
    x = placed(rows, short, width)
    y = {name: 20 + STEP * at for at, row in enumerate(rows) for name in row}
    wide = max(x[name] + width(name) / 2 for name in x) + 20
    p = Picture(round(wide), 20 + STEP * (len(rows) - 1) + HIGH + 20, "Flow chart: " + ", ".join(f"{a} to {b}" for a, b in edges))
    for a, b in short:
        top = y[a] + HIGH
        bend = (y[b] - top) / 2
        # A bend is as high as a node, so that its edge passes the nodes of the row.
        start = f"M{x[a]:.1f} {top}" if a in labels else f"M{x[a]:.1f} {y[a]}V{top}"
        p.parts.append(f'<path class="l" stroke-width="1.2" d="{start}C{x[a]:.1f} {top + bend:g} {x[b]:.1f} {y[b] - bend:g} {x[b]:.1f} {y[b]}"/>')
        if b in labels:
            p.parts.append(f'<path class="t" d="M{x[b]:.1f} {y[b]}l-4 -8h8Z"/>')
    for name, label in labels.items():
        p.rect(round(x[name] - width(name) / 2, 1), y[name], width(name), HIGH, "n", 15 if name in rounded else 4)
        p.text(round(x[name], 1), y[name] + 19, html.escape(label), "t", "middle", 12)
    return p.svg()
