"""Patches of objects, and who owns which field: pure functions over plain documents.

- `json_patch.json_patch`, `merge_patch.merge_patch`, `strategic_merge.strategic_merge`
- `apply.apply`: server-side apply; `managed_fields.record_create`, `record_update`: owners after other writes
- `field_rules.FieldRules`: how a kind's lists and maps are merged; `UNTYPED` where nothing is known of a kind
"""
