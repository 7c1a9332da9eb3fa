"""Whether a value has the type that protocol.py says. Members that a type does not name are allowed."""

from typing import Any, Dict, List, Literal, Union, get_args, get_origin, get_type_hints

from heddle_rpc import protocol

EVENTS: Dict[str, Any] = {}
for _event in get_args(protocol.Event):
    EVENTS[get_args(get_type_hints(_event)["type"])[0]] = _event


def problems(value: Any, hint: Any, at: str) -> List[str]:
    origin = get_origin(hint)
    if hint is Any:
        return []
    if origin is Union:
        return [] if any(not problems(value, each, at) for each in get_args(hint)) else [f"{at}: none of {hint}"]
    if origin is Literal:
        return [] if value in get_args(hint) else [f"{at}: {value!r} is not {hint}"]
    if origin is list:
        return _wrong(value, list, at) or _each(enumerate(value), get_args(hint)[0], at)
    if origin is dict:
        return _wrong(value, dict, at) or _each(value.items(), get_args(hint)[1], at)
    if hasattr(hint, "__required_keys__"):
        return _wrong(value, dict, at) or _members(value, hint, at)
    if hint is float:
        return [] if isinstance(value, (int, float)) and not isinstance(value, bool) else [f"{at}: no number"]
    return _wrong(value, hint, at)


def _wrong(value: Any, kind: Any, at: str) -> List[str]:
    return [] if isinstance(value, kind) else [f"{at}: {value!r} is no {kind.__name__}"]


def _each(items: Any, hint: Any, at: str) -> List[str]:
    return [problem for key, item in items for problem in problems(item, hint, f"{at}[{key!r}]")]


def _members(value: Dict[str, Any], hint: Any, at: str) -> List[str]:
    hints = get_type_hints(hint)
    absent = [f"{at}: {name} is missing" for name in hint.__required_keys__ if name not in value]
    known = [(name, member) for name, member in value.items() if name in hints]
    return absent + [problem for name, member in known for problem in problems(member, hints[name], f"{at}.{name}")]


def event_problems(event: Dict[str, Any]) -> List[str]:
    kind = event["type"]
    return problems(event, EVENTS[kind], kind) if kind in EVENTS else [f"{kind}: unknown event"]
