"""The markup of the five families as templates: accepted spellings, those that end a text, and broken ones.

In a template `@N` is the tool's name, `@P` the value of its parameter `path`, `@J` the arguments as JSON and `@Q`
that JSON as a JSON string. A spelling is a pair: for a call with a path, and for one without arguments.
"""

from __future__ import annotations

import json

from eukhe_spec.leak import Family

__all__ = ["BROKEN", "LAST", "MENTIONS", "SPELLINGS", "broken", "fill", "fill_end", "path"]

#: A template for a call with a path, and one for a call without arguments.
Spelling = tuple[str, str]


def _both(template: str) -> Spelling:
    return template, template


_HERMES: tuple[Spelling, ...] = (
    _both('<tool_call>\n{"name": "@N", "arguments": @J}\n</tool_call>'),
    _both('<tool_call>{"arguments":@J,"name":"@N"}</tool_call>'),
    _both('<tool_call>\n{"name": "@N", "arguments": @Q}\n</tool_call>'),
    (
        '<tool_call> {"name": "@N", "arguments": @J} </tool_call>',
        '<tool_call>{"name": "@N"}</tool_call>',
    ),
    (
        '<tool_call>\n\n{"name": "@N",\n "arguments": @J}</tool_call>',
        '<tool_call>{"name": "@N", "arguments": null}</tool_call>',
    ),
    (
        '<tool_call>{"name": "functions.@N", "arguments": @J}</tool_call>',
        '<tool_call>{"name": "@N", "arguments": " "}</tool_call>',
    ),
    _both('<tool_call>{"id": "</tool_call> \\" <b", "name": "@N", "arguments": @J}</tool_call>'),
)

_CODER: tuple[Spelling, ...] = (
    (
        "<tool_call>\n<function=@N>\n<parameter=path>\n@P\n</parameter>\n</function>\n</tool_call>",
        "<tool_call>\n<function=@N>\n</function>\n</tool_call>",
    ),
    (
        "<tool_call><function=@N><parameter=path>@P</parameter></function></tool_call>",
        "<tool_call><function=@N></function></tool_call>",
    ),
    (
        "<function=@N>\n<parameter=path>\n@P\n</parameter>\n</function>\n</tool_call>",
        "<function=@N>\n</function>\n</tool_call>",
    ),
    ("<function=@N>\n<parameter=path>\n@P\n</parameter>\n</function>", "<function=@N></function>"),
    (
        "<tool_call>\n<function=@N>\n<parameter=path>\n@P\n</parameter>\n</function>",
        "<tool_call>\n<function=@N>\n</function>",
    ),
    (
        "<tool_call>\n<function=@N>\n<parameter=path>\n@P\n</parameter>\n</tool_call>",
        "<tool_call>\n<function=@N>\n</tool_call>",
    ),
    (
        "<function=@N>\n<parameter=path>\n@P\n</function>\n</tool_call>",
        "<function = '@N' >\n</function>",
    ),
    (
        "<function=@N>\n<parameter=path>\nold\n<parameter=path>\n@P\n</parameter></function>",
        '<function="@N">\n</function>',
    ),
    (
        "<function=@N>\n<parameter path>\n@P\n</parameter>\n</function>",
        "<function=functions.@N></function>",
    ),
    (
        '<function="@N">\n<parameter = "path" >\n@P\n</parameter>\n</function>',
        "<function='@N'></function>",
    ),
    (
        "<tool_call>\r\n  <function=@N>\r\n    <parameter=path>\r\n@P\r\n    </parameter>\r\n"
        "  </function>\r\n</tool_call>",
        "<tool_call>\n  <function=@N>\n  </function>\n</tool_call>",
    ),
    (
        "<function=@N><parameter=path>see <function=x> and <tool_call></parameter>"
        "<parameter=path>@P</parameter></function>",
        "<function= @N></function>",
    ),
)

_OMP: tuple[Spelling, ...] = (
    ('<tool_calls>\n<@N path="@P" />\n</tool_calls>', "<tool_calls>\n<@N />\n</tool_calls>"),
    ("<tool_calls><@N path='@P'/></tool_calls>", "<tool_calls><@N/></tool_calls>"),
    (
        '<tool_calls> <@N\n path = "@P"/> done\n</tool_calls>',
        "<tool_calls> <@N /> done </tool_calls>",
    ),
    ('<function_calls><@N path="@P"/></function_calls>', "<function_calls><@N/></function_calls>"),
    (
        "<tool_calls>\n<functions.@N path='old \"\"' path='@P' />\n</tool_calls>",
        "<tool_calls><functions.@N/></tool_calls>",
    ),
)

_ARG = "<|tool_call_argument_begin|>"
_KIMI: tuple[Spelling, ...] = (
    _both(
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.@N:0{_ARG}@J<|tool_call_end|>"
        "<|tool_calls_section_end|>"
    ),
    _both(
        f"<|tool_call_section_begin|><|tool_call_begin|>functions.@N:0{_ARG}@J<|tool_call_end|>"
        "<|tool_call_section_end|>"
    ),
    _both(f"<|tool_call_begin|>functions.@N:12{_ARG}@J<|tool_call_end|>"),
    _both(
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.@N:0{_ARG}@J<|tool_call_end|>"
    ),
    _both(
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.@N:0{_ARG}@J"
        "<|tool_calls_section_end|>"
    ),
    _both(
        f"<|tool_calls_section_begin|>\n<|tool_call_begin|> functions.@N:0 {_ARG} @J\n"
        "<|tool_call_end|>\n<|tool_calls_section_end|>"
    ),
    (
        f"<|tool_call_begin|>@N:3{_ARG}@J<|tool_call_end|><|tool_calls_section_end|>",
        f"<|tool_call_begin|>@N{_ARG} <|tool_call_end|>",
    ),
    (
        f'<|tool_call_begin|>my.own.@N{_ARG}{{"path": "<|tool| <", "path": "@P"}}<|tool_call_end|>',
        f"<|tool_call_section_begin|><|tool_call_begin|>@N{_ARG}@J<|tool_call_section_end|>",
    ),
)


def _dsml(mark: str, wrapper: str, text: str = ' string="true"') -> Spelling:
    """A DSML call in a wrapper, with this mark in each of its tags."""
    value = f'<{mark}parameter name="path"{text}>@P</{mark}parameter>'
    head, tail = f'<{mark}invoke name="@N">', f"</{mark}invoke>"
    return (
        f"<{mark}{wrapper}>\n{head}\n{value}\n{tail}\n</{mark}{wrapper}>",
        f"<{mark}{wrapper}>{head}{tail}</{mark}{wrapper}>",
    )


_D = "｜DSML｜"  # noqa: RUF001 - the models' own character
_INVOKE = f'<{_D}invoke name="@N">'
_STRING = f'<{_D}parameter name="path" string="true">'
_PARAM = f"{_STRING}@P</{_D}parameter>"
_END = f"</{_D}invoke>"
_DSML: tuple[Spelling, ...] = (
    _dsml(_D, "tool_calls"),
    _dsml(_D, "function_calls"),
    _dsml("|DSML|", "tool_calls"),
    _dsml(f"{_D[0]}DSML|", "tool_calls"),
    _dsml(" | DSML | ", "tool_calls"),
    _dsml("||DSML||", "tool_use"),
    _dsml("", "tool_calls"),
    _dsml("", "function_calls"),
    _dsml("", "tool_calls", text=""),
    _dsml(_D, "tool_calls", text=""),
    (f"{_INVOKE}{_PARAM}{_END}", f"{_INVOKE}{_END}"),
    (f"<{_D}tool_calls>\n{_INVOKE}\n{_PARAM}\n{_END}", f"<{_D}tool_calls>{_INVOKE}{_END}"),
    (
        f'{_INVOKE}<{_D}parameter  string = "true" name="path" >@P</{_D}parameter >\n{_END}',
        f'<{_D}invoke  name = "functions.@N" >\n</{_D}invoke >',
    ),
    (
        f'{_INVOKE}<{_D}parameter name="path" string="false">"@P"</{_D}parameter>{_END}',
        f"{_INVOKE}{_END}</{_D}tool_calls>",
    ),
    (
        f"{_INVOKE}{_STRING}\n<old> </parameter></{_D}parameter>{_PARAM}{_END}",
        f"{_INVOKE}\n{_END}\n</{_D}function_calls>",
    ),
)

#: The accepted spellings of each family.
SPELLINGS: dict[Family, tuple[Spelling, ...]] = {
    Family.HERMES: _HERMES,
    Family.CODER: _CODER,
    Family.OMP: _OMP,
    Family.KIMI: _KIMI,
    Family.DSML: _DSML,
}

#: Spellings that are accepted at the end of the text only.
LAST: dict[Family, tuple[Spelling, ...]] = {
    Family.HERMES: (
        _both('<tool_call>\n{"name": "@N", "arguments": @J}'),
        _both('<tool_call>{"name": "@N", "id": "</tool_call>", "arguments": @J}\n'),
    ),
    Family.DSML: (
        (
            '<tool_calls><invoke name="@N"><parameter name="path">@P</parameter></invoke>\n',
            '<tool_calls><invoke name="@N"></invoke>',
        ),
    ),
}

#: Markup that does not parse, of each family, with the tool `read`.
BROKEN: dict[Family, tuple[str, ...]] = {
    Family.HERMES: (
        '<tool_call>{"name": "read", "arguments": {"path": "a"}</tool_call>',
        '<tool_call>{"name": "read", "arguments": {}}}</tool_call>',
        '<tool_call>{"name": "read"}\n{"name": "read"}</tool_call>',
        '<tool_call>[{"name": "read", "arguments": {}}]</tool_call>',
        '<tool_call>{"name": "read", "parameters": {"path": "a"}}</tool_call>',
        '<tool_call>{"name": "read", "arguments": 5}</tool_call>',
        '<tool_call>{"name": "read", "arguments": "5"}</tool_call>',
        '<tool_call>{"name": 5, "arguments": {}}</tool_call>',
        '<tool_call>{"arguments": {}}</tool_call>',
        '<tool_call>{"name": "read", "arguments": {"path": NaN}}</tool_call>',
        '<tool_call>{"name": "read", "arguments": {"path": 1e999}}</tool_call>',
        'w {"name": "read", "arguments": {}}</tool_call>',
        '<tool_call>{"name": "rea',
        '<tool_call>{"name": "read", "arguments": {}} and so on',
    ),
    Family.CODER: (
        "<function=read><parameter=path=a</parameter></function>",
        '<tool_call><function=read>{"path": "a"}</function></tool_call>',
        "<tool_call>\n<function=read>\n<parameter=pa",
        "<function=read><parameter=path>a</parameter>",
        '<function=read><parameter name="path">a</parameter></function>',
        "<tool_call><function read></function></tool_call>",
        "<function=read><parameter=path>a<function=read><parameter=path>b</parameter></function>",
        "<function=read><parameter=path>a<tool_call></function>",
        "<function=></function>",
        "w</function>",
    ),
    Family.OMP: (
        '<tool_calls><read path="a" />',
        '<tool_calls><read path="a > b" /></tool_calls>',
        '<tool_calls><read path="a"></read></tool_calls>',
        "<tool_calls><read path=a /></tool_calls>",
        '<tool_calls><read path="a" / ></tool_calls>',
        '<tool_calls><read path="a"/><1/></tool_calls>',
    ),
    Family.KIMI: (
        f'<|tool_call_begin|>functions.read:0{_ARG}{{"path": "a"<|tool_call_end|>',
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_calls_section_end|>",
        f"<|tool_call_begin|>functions.read:0{_ARG}[1]<|tool_call_end|>",
        f"<|tool_call_begin|>functions.read:0{_ARG}path<|tool_call_end|>",
        f"<|tool_call_begin|>read:0{_ARG}{{}} <|tool_call_begin|>read:1{_ARG}{{}}<|tool_call_end|>",
        "w<|tool_call_end|>",
        f'<|tool_call_begin|>functions.read:0{_ARG}{{"path"',
        "<|tool_call_section_begin|>\n<|tool_call_begin|>",
    ),
    Family.DSML: (
        f'<{_D}function_calls>{_INVOKE}<{_D}parameter name="path" string="true">a',
        f"<{_D}tool_calls><{_D}invoke nam>{_END}</{_D}tool_calls>",
        f"<{_D}function_calls w",
        f"<{_D}tool_calls> w",
        f'{_INVOKE}<{_D}parameter name="path" string="maybe">a</{_D}parameter>{_END}',
        f'{_INVOKE}<{_D}parameter string="true">a</{_D}parameter>{_END}',
        f"{_INVOKE}{_PARAM}",
        f"w{_END}",
        f"< |DSML| parameter{_END}",
        '<tool_calls><invoke name="read"></invoke><invoke nam></invoke></tool_calls>',
        '<tool_calls><invoke name="read"></invoke> and more',
        '<function_calls><invoke name="read"><parameter name="path">a</invoke></function_calls>',
    ),
}

_CUT = "<tool_call>\n<function=read>\n<parameter=path>\na"

#: Openers in prose, with nothing call-like behind them.
MENTIONS: dict[Family, str] = {
    Family.HERMES: "the <tool_call> tag",
    Family.CODER: "a <function> and functions",
    Family.OMP: "the <tool_calls> tag, <function_calls> <a:b and <invoke name",
    Family.KIMI: "a <|tool_calls_section_begin|> token",
    Family.DSML: "the <| and <｜DSML｜ marks",  # noqa: RUF001 - the models' own character
}


def path(arg: int) -> str:
    """The path that the arguments with a number hold."""
    return f"é {arg}.txt"


def _filled(spelling: Spelling, name: str, arg: int) -> str:
    template = spelling[0 if arg else 1]
    said = json.dumps({"path": path(arg)} if arg else {}, ensure_ascii=False)
    text = template.replace("@N", name).replace("@P", path(arg))
    return text.replace("@J", said).replace("@Q", json.dumps(said))


def fill(family: Family, form: int, name: str, arg: int) -> str:
    """Write a call in one of the family's spellings; the numbers go round."""
    forms = SPELLINGS[family]
    return _filled(forms[form % len(forms)], name, arg)


def fill_end(family: Family, form: int, name: str, arg: int) -> str:
    """Write a call that ends its text; spellings that need the end of the text come after the others."""
    extra = form - len(SPELLINGS[family])
    ends = LAST.get(family, ())
    if 0 <= extra < len(ends):
        return _filled(ends[extra], name, arg)
    return fill(family, form, name, arg)


def broken(family: Family, form: int, last: bool) -> str:
    """Write markup that does not parse; the numbers go round. Some is broken only at the end of its text."""
    forms = (*BROKEN[family], _CUT) if last and family is Family.CODER else BROKEN[family]
    return forms[form % len(forms)].replace("@N", "read").replace("@P", "a")
