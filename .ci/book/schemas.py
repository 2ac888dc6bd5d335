"""A page of fields for each JSON schema."""

import json

FOLDER = "docs/schemas"


def kind(schema):
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    types = schema.get("type", "any")
    words = [types] if isinstance(types, str) else sorted(types, key=lambda t: t == "null")
    if "array" in words and "items" in schema:
        items = schema["items"].get("type", "any")
        inner = items if isinstance(items, str) else " or ".join(sorted(items, key=lambda t: t == "null"))
        words[words.index("array")] = f"array of {inner}"
    if isinstance(values := schema.get("additionalProperties"), dict) and isinstance(inner := values.get("type"), str):
        words[words.index("object")] = f"map to {inner}"
    return " or ".join(words)


def children(schema):
    """Members of an object, or of the objects in an array or a map, with what is put before their names."""
    for name, member in schema.get("properties", {}).items():
        yield name, member
    items = schema.get("items")
    if isinstance(items, dict):
        yield from ((f"[].{name}", member) for name, member in children(items))
    # The values of a map are described with the map, unless they are objects.
    if isinstance(values := schema.get("additionalProperties"), dict) and list(children(values)):
        yield "*", values


def rows(schema, path):
    for name, member in children(schema):
        here = f"{path}.{name}".replace(".[]", "[]").lstrip(".")
        yield here, member
        yield from rows(member, here)


def table(found):
    lines = ["| field | type | meaning |", "| --- | --- | --- |"]
    for path, schema in found:
        text = schema.get("description", "").replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| `{path}` | {kind(schema)} | {text} |")
    return lines


def page(name, schema):
    title = schema["title"]
    simple = [(key, member) for key, member in schema["properties"].items() if not list(children(member))]
    lines = [f"# {title}", "", f"Fields of the document `{title}`, from [{name}](/{FOLDER}/{name}).",
             "`[]` is each entry of an array, `*` each key of a map.", "", *table(simple), ""]
    for key, member in schema["properties"].items():
        if found := list(rows(member, "")):
            lines += [f"## `{key}`", "", f"{kind(member).capitalize()}. {member.get('description', '')}", "", *table(found), ""]
    return "\n".join(lines)


def pages(root):
    made, chapters, problems = {}, [], []
    for path in sorted((root / FOLDER).glob("*.schema.json")):
        schema = json.loads(path.read_text())
        to = f"{FOLDER}/{path.name.removesuffix('.schema.json')}.md"
        made[to] = page(path.name, schema)
        chapters.append((0, schema["title"], to))
        problems += [f"{path.name}: {field} has no description" for field, member in rows(schema, "") if not member.get("description")]
    return made, chapters, problems
