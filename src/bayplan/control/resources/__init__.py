"""The kinds of objects: names, APIs, schemas, tables and discovery, all pure functions over plain documents.

- `registry.REGISTRY`: `at(group, version, plural)`, `of_kind`, `of_document`, `named`, `resolve` → `ResourceType`
- `kinds.KINDS`, `kinds.CUSTOM_GROUPS`: every kind, and the groups whose CustomResourceDefinitions are accepted
- `resource_type`: `ResourceType`, `Api`, `Subresource`, `Support`
- `schema.schema_of(resource, api)` → `shape.Shape`: `child(name)`, `item`, `merging`, `keys`, `patching`
- `field_checks.check_fields(resource, document, api)` → unknown fields and wrong types in one pass; `missing_fields`
"""
