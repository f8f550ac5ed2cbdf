//! The JSON Schema of a tool, in the subset that every client and strict mode takes.

use serde_json::{Map, Value, json};

use super::{Field, Shape};

/// The schema of an object of these fields and no other.
pub(crate) fn object(fields: &[Field]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields {
        properties.insert(field.name.into(), property(field));
        if field.required {
            required.push(Value::from(field.name));
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn property(field: &Field) -> Value {
    let Value::Object(mut schema) = shape(&field.shape) else { return Value::Null };
    schema.insert("description".into(), field.description.into());
    Value::Object(schema)
}

fn shape(shape_of: &Shape) -> Value {
    match shape_of {
        Shape::Text => json!({"type": "string"}),
        Shape::Integer { .. } => json!({"type": "integer"}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::Choice(words) => json!({"type": "string", "enum": words}),
        Shape::List(item) => json!({"type": "array", "items": shape(item)}),
        Shape::Object(fields) => object(fields),
        Shape::Nullable(inner) => {
            let mut schema = shape(inner);
            if let Value::Object(schema) = &mut schema {
                allow_null(schema);
            }
            schema
        }
    }
}

/// Lets a schema take `null` as well.
pub(crate) fn allow_null(schema: &mut Map<String, Value>) {
    if let Some(kind) = schema.get("type").filter(|kind| kind.is_string()).cloned() {
        schema.insert("type".into(), json!([kind, "null"]));
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
}
