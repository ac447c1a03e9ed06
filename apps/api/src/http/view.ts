import { keysOf } from '@jobline/engine';
import Joi, { type ObjectSchema, type Schema, type StringSchema } from 'joi';

/** Schemas of response bodies. The API document contains them, and the tests validate every response with them. */

/** `createdAt` → `created_at` */
type FieldOf<Column extends string> = Column extends `${infer First}${infer Rest}`
  ? `${Lowercase<First>}${Rest extends Uncapitalize<Rest> ? '' : '_'}${FieldOf<Rest>}`
  : Column;

/** `created_at` → `createdAt` */
type ColumnOf<Field extends string> = Field extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<ColumnOf<Rest>>}`
  : Field;

/** The view that shows every column of a row: in snake case, and times as text. */
export type ViewOf<Row> = { [Column in keyof Row as FieldOf<Column & string>]: Shown<Row[Column]> };
type Shown<Value> = Value extends Date ? string : Value;

/** A row with a column for each field of a view. A field that is optional may be undefined or null. */
type RowOf<View> = {
  readonly [Field in keyof View as ColumnOf<Field & string>]:
    | View[Field]
    | (string extends View[Field] ? Date : never)
    | (Record<never, never> extends Pick<View, Field> ? undefined | null : never);
};

/** Exactly these fields. All are required but those with `optional()`. `name` is its name in the API document. */
export function view<T>(name: string, fields: { readonly [Field in keyof Required<T>]: Schema }): ObjectSchema<T> {
  const required = Object.entries<Schema>(fields).filter(([, schema]) => schema.$_getFlag('presence') !== 'optional');
  return Joi.object<T>(fields)
    .fork(
      required.map(([field]) => field),
      (field) => field.required(),
    )
    .meta({ view: name });
}

/** The same fields, of which each may be absent. */
export function optional<Fields extends Record<string, Schema>>(fields: Fields): Record<keyof Fields, Schema> {
  // The cast: the names stay.
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, schema.optional()])) as Fields;
}

/**
 * Returns the function that maps a row to a view. It shows only the fields of the view. It leaves out undefined ones, and
 * null where the view does not allow it.
 */
export function mapTo<View>(schema: ObjectSchema<View>): (row: RowOf<View>) => View {
  const columns = [...keysOf(schema)].map((field) => {
    const allowsNull = schema.extract(field).validate(null).error === undefined;
    return { field, column: field.replace(/_(\w)/g, toUpperCase), absent: allowsNull ? undefined : null };
  });
  return (row) => {
    const values: Readonly<Record<string, unknown>> = row;
    const shown: Record<string, unknown> = {};
    for (const { field, column, absent } of columns) {
      const value = values[column];
      if (value !== undefined && value !== absent) shown[field] = value instanceof Date ? value.toISOString() : value;
    }
    // The cast: a row of the view has a column for each field that is not optional.
    return shown as unknown as View;
  };
}

function toUpperCase(_match: string, letter: string): string {
  return letter.toUpperCase();
}

/** ISO 8601 in UTC with milliseconds, the format of Date.toISOString. */
export function timestamp(): StringSchema {
  return Joi.string()
    .isoDate()
    .pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
}

/** Zero or more. */
export function count(): Joi.NumberSchema {
  return Joi.number().integer().min(0);
}

/** Text that may be empty. */
export function text(): StringSchema {
  return Joi.string().allow('');
}
