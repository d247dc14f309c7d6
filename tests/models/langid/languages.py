"""The classes of the model: ISO 639-1 code, English name and the scripts that its text is written in."""

# Order is class order; langid.labels.txt is written from it.
LANGUAGES = [
    ("ar", "Arabic", "arab"), ("bg", "Bulgarian", "cyrl"), ("ca", "Catalan", "latn"), ("cs", "Czech", "latn"),
    ("da", "Danish", "latn"), ("de", "German", "latn"), ("el", "Greek", "grek"), ("en", "English", "latn"),
    ("es", "Spanish", "latn"), ("et", "Estonian", "latn"), ("eu", "Basque", "latn"), ("fa", "Persian", "arab"),
    ("fi", "Finnish", "latn"), ("fr", "French", "latn"), ("he", "Hebrew", "hebr"), ("hi", "Hindi", "deva"),
    ("hr", "Croatian", "latn"), ("hu", "Hungarian", "latn"), ("id", "Indonesian", "latn"), ("is", "Icelandic", "latn"),
    ("it", "Italian", "latn"), ("ja", "Japanese", "cjk"), ("ko", "Korean", "cjk"), ("lt", "Lithuanian", "latn"),
    ("lv", "Latvian", "latn"), ("nb", "Norwegian", "latn"), ("nl", "Dutch", "latn"), ("pl", "Polish", "latn"),
    ("pt", "Portuguese", "latn"), ("ro", "Romanian", "latn"), ("ru", "Russian", "cyrl"), ("sk", "Slovak", "latn"),
    ("sl", "Slovenian", "latn"), ("sr", "Serbian", "cyrl"), ("sv", "Swedish", "latn"), ("th", "Thai", "thai"),
    ("tr", "Turkish", "latn"), ("uk", "Ukrainian", "cyrl"), ("vi", "Vietnamese", "latn"), ("zh", "Chinese", "cjk"),
]
CODES = [code for code, _, _ in LANGUAGES]
SCRIPT = {code: script for code, _, script in LANGUAGES}

# Locale spellings that are not simply the code plus a country. Serbian in Latin letters cannot be told from
# Croatian in a short text, so only Cyrillic Serbian is a class and sr@latin is left out.
_ALIASES = {"no": "nb", "nb-no": "nb", "c": "en", "iw": "he", "in": "id"}
_REFUSED = ("@", "valencia", "latn", "latin")


def class_of(locale):
    """The class of a locale name such as pt_BR, sv-SE or C; None when it is not one of ours."""
    name = locale.lower().replace("_", "-")
    if any(part in name for part in _REFUSED):
        return None
    name = _ALIASES.get(name, name.split("-")[0])
    return name if name in CODES else None


def script_of(char):
    """A coarse script name of one letter, enough to find text of the wrong language."""
    cp = ord(char)
    if cp < 0x0250 or 0x1E00 <= cp < 0x1F00:
        return "latn"
    for name, low, high in (("grek", 0x0370, 0x0400), ("cyrl", 0x0400, 0x0530), ("hebr", 0x0590, 0x0600),
                            ("arab", 0x0600, 0x0780), ("deva", 0x0900, 0x0980), ("thai", 0x0E00, 0x0E80),
                            ("grek", 0x1F00, 0x2000), ("cjk", 0x2E80, 0xE000), ("arab", 0xFB50, 0xFF00)):
        if low <= cp < high:
            return name
    return "other"
