"""Patches of objects, and who owns which field: pure functions over plain documents.

- `patch_types`: `patch_type(content_type)`, `patched(type, live, patch, rules)`, `check_options`; behind them
  `json_patch.json_patch`, `merge_patch.merge_patch`, `strategic_merge.strategic_merge`
- `apply.apply`: server-side apply; `managed_fields.record_create`, `record_update`: owners after other writes
- `schema_rules.rules_of(resource)` → `field_rules.FieldRules`: how the lists and maps of a kind are merged
"""
