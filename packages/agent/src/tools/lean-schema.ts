type Schema = Readonly<Record<string, unknown>>;

/** What the check of the arguments needs and a model does not: a call that breaks it is told what was expected. */
const unsaid: ReadonlySet<string> = new Set([
  'additionalProperties',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'maxItems',
]);

/** A schema with all that a model needs to call a tool, in as few words as possible. */
export function leanSchema(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !unsaid.has(key))
      .map(([key, value]) => [key, key === 'properties' ? leanEach(value) : lean(value)]),
  );
}

/** Names of properties are no keywords. */
function leanEach(properties: unknown): unknown {
  if (!isSchema(properties)) return properties;
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, lean(value)]));
}

function lean(value: unknown): unknown {
  return isSchema(value) ? leanSchema(value) : value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
