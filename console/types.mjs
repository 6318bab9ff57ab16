/**
 * Write src/api/types.ts from the OpenAPI document on standard input; with --check, fail where the file differs.
 *
 * Only shapes are taken: what the document says of a field in words changes no type.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import openapiTS, { astToString } from 'openapi-typescript';

const FILE = new URL('./src/api/types.ts', import.meta.url);
const HEAD =
  '/** The documents of the HTTP API. Generated from its OpenAPI document by `make types`: do not edit. */\n\n';
const PROSE = ['title', 'description', 'examples', 'example', 'format'];

const { openapi, info, components } = await json(process.stdin);
// Any value at all, as JSON has it: a type that holds itself is none to TypeScript where it stands in an interface.
components.schemas.JsonValue = {};
const schemas = Object.fromEntries(Object.entries(each(components.schemas)).sort(([a], [b]) => (a < b ? -1 : 1)));
const nodes = await openapiTS(
  { openapi, info, components: { schemas } },
  { rootTypes: true, rootTypesNoSchemaPrefix: true, silent: true },
);
const text = HEAD + astToString(nodes);

if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (text !== readFileSync(FILE, 'utf8')) {
  console.error('console/src/api/types.ts is not what the API answers: run `make types`, and commit it.');
  process.exitCode = 1;
}

/** A schema without its prose; a property may be called `title`. */
function shape(schema) {
  if (Array.isArray(schema)) return schema.map(shape);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name]) => !PROSE.includes(name));
  return Object.fromEntries(kept.map(([name, one]) => [name, name === 'properties' ? each(one) : shape(one)]));
}

function each(schemas) {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shape(schema)]));
}
