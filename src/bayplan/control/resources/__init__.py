"""The kinds of objects: names, APIs, schemas, tables and discovery, all pure functions over plain documents.

- `registry.REGISTRY`: `at(group, version, plural)`, `of_kind`, `of_document`, `named`, `resolve` → `ResourceType`
- `kinds.KINDS`, `kinds.CUSTOM_GROUPS`: every kind, and the groups whose CustomResourceDefinitions are accepted
- `resource_type`: `ResourceType`, `Api`, `Subresource`, `Support`
- `conversion`: `to_storage(resource, document)`, `from_storage(resource, document, api)`
- `schema`: `schema_of(resource, api)`, `shape_named("Scale")` → `shape.Shape` with `child(name)`, `item`, `merging` and
  `keys` (apply), `patching` (strategic merge)
- `field_checks`: `check_fields(resource, document, api)` → unknown fields and wrong types in one pass;
  `unknown_fields`, `wrong_types`, `missing_fields`
- `defaults.add_defaults(resource, document)`: the defaults of Kubernetes, in place
- `tables`: `table(resource, documents, now)` → a Table document; `rows`, `columns_of` for our own commands
- `scaling`: `scale_of(resource, document)`, `with_scale(resource, document, replicas)`, `scale_paths`
- `selectable`: `selectable_fields(resource)`, `stored_term(resource, term)`
- `protobuf.read_protobuf(body)`: documents of the kinds of Kubernetes that kubectl sends as protobuf
- `discovery`: `core_versions`, `group_list`, `group_document`, `resource_list`, `aggregated`
- `openapi`: `openapi_index`, `openapi_text(group, version)`, `openapi_v2_text`
"""
