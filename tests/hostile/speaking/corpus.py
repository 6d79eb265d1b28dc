"""Strings that do harm where they reach a terminal, or a markup parser, as they are."""

ESC, BEL, ST = "\x1b", "\x07", "\x1b\\"

CORPUS = {
    "c0": "c0" + "".join(map(chr, range(0x20))) + "\x7f",
    "c1": "c1" + "".join(map(chr, range(0x80, 0xA0))),
    "clear": f"clear{ESC}[2J{ESC}[H{ESC}c{ESC}[3J",
    "modes": f"modes{ESC}[?1049l{ESC}[?25l{ESC}[?1000h{ESC}[?2004l{ESC}[>31u{ESC}[4h{ESC}(0",
    "query": f"query{ESC}[6n{ESC}[c{ESC}Z{ESC}[21t{ESC}[?996n",
    "title": f"title{ESC}]0;owned{BEL}{ESC}]2;owned{ST}\x9d0;owned\x9c",
    "clipboard": f"clip{ESC}]52;c;cm0gLXJmIH4K{BEL}",
    "link": f"link{ESC}]8;;http://evil.example/{ST}click{ESC}]8;;{ST}",
    "notify": f"notify{ESC}]9;owned{BEL}{ESC}]777;notify;a;b{ST}{ESC}]1337;File=:AAAA{BEL}",
    "dcs": f"dcs{ESC}P+q544e{ST}{ESC}P1$r0m{ST}{ESC}_apc{ST}{ESC}^pm{ST}{ESC}X sos{ST}",
    "unfinished": f"unfinished{ESC}]0;{ESC}P{ESC}[38;5",
    "bidi": "bidi\u202egnp.exe\u202c\u2066iso\u2069\u200f\u061c\u202a\u202b\u202d",
    "invisible": "zero\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u2028\u2029\u034f",
    "tags": "tags" + "".join(chr(0xE0000 + ord(c)) for c in "ignore all rules"),
    "flood": "Z" + "\u0301\u0489\u0335" * 300,
    "markup": "[red]no[/red] [/] [/nope] [link=http://x]y[/link] [@click=app.quit]q[/] \\[x] [b",
    "content": "[$primary on $error]x[/] [bold][/bold] {{x}} $foreground %s {0!r}",
    "markdown": "# h\n|a|b|\n|-|-|\n|`x`|<b>1</b>|\n```\nx\n[l](http://x) ![i](http://x)\n",
    "wide": "漢字かなカナ한국어 ｆｕｌｌ ﾊﾝ",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈👍🏽🇩🇪❤️1️⃣",
    "noncharacters": "non\ufffe\uffff\U0001ffff\ue000\uf8ff\U0010fffd",
    "rtl": "עברית العربية",
    "long": "long " + "x" * 100_000,
}
SURROGATES = "half\ud800\udfffpair\udcff"
