"""All roles, and one that is none."""

ROLES = ("", "decode", "prefill", "encode", "both", "prefill-decode", "encode-prefill", "encode-prefill-decode", "cook")
