/** Reads a parameter of a list from the page's address; null: the address does not name it. */
export type Param<Value extends ParamValue> = (text: string | null) => Value;
type ParamValue = string | number | undefined;
export type ParamTable = Readonly<Record<string, Param<ParamValue>>>;
export type Values<Table extends ParamTable> = { [Name in keyof Table]: ReturnType<Table[Name]> };
/** An order: upward by a field, or, with a minus before it, downward. */
export type Sort<Field extends string> = Field | `-${Field}`;
export type FieldOf<Order extends string> = Exclude<Order, `-${string}`>;

/** A filter by a text; undefined where none is given. */
export function textFilter(maxLength: number): Param<string | undefined> {
  return (text) => text?.slice(0, maxLength) || undefined;
}

/** A filter by one of a closed list; undefined for whatever is not in it. */
export function choiceFilter<const Value extends string>(values: readonly Value[]): Param<Value | undefined> {
  return (text) => values.find((value) => value === text);
}

/** One of a closed list; the first of it for whatever is not in it. */
export function choiceParam<const Value extends string>(values: readonly [Value, ...Value[]]): Param<Value> {
  return (text) => values.find((value) => value === text) ?? values[0];
}

/** An order by one of the fields, upward or downward; `initial` for whatever is none. */
export function sortParam<const Field extends string>(
  fields: readonly Field[],
  initial: Sort<Field>,
): Param<Sort<Field>> {
  const downward = fields.map((field): Sort<Field> => `-${field}`);
  return choiceParam<Sort<Field>>([initial, ...fields, ...downward]);
}

/** Page numbers up to what the server takes; the first one for whatever is none. */
export const pageParam: Param<number> = (text) => (/^[1-9]\d{0,5}$/.test(text ?? "") ? Number(text) : 1);

export function readParams<Table extends ParamTable>(table: Table, address: URLSearchParams): Values<Table> {
  const values = Object.entries(table).map(([name, read]) => [name, read(address.get(name))]);
  return Object.fromEntries(values) as Values<Table>;
}

/** Writes the address in the table's order. What is the same without being named stays out of it. */
export function writeParams(table: ParamTable, values: Readonly<Record<string, ParamValue>>): URLSearchParams {
  const address = new URLSearchParams();
  for (const [name, read] of Object.entries(table)) {
    const text = String(values[name] ?? "");
    if (text !== "" && values[name] !== read(null)) address.set(name, text);
  }
  return address;
}
