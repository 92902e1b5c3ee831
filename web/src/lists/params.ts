/** Parses a parameter of the URL. `null`: it is absent. */
export type Param<Value extends ParamValue> = (text: string | null) => Value;
type ParamValue = string | number | undefined;
export type ParamTable = Readonly<Record<string, Param<ParamValue>>>;
export type Values<Table extends ParamTable> = { [Name in keyof Table]: ReturnType<Table[Name]> };
/** A field, ascending, or descending with a leading minus. */
export type Sort<Field extends string> = Field | `-${Field}`;
export type FieldOf<Order extends string> = Exclude<Order, `-${string}`>;

/** A text filter. `undefined` if absent. */
export function textFilter(maxLength: number): Param<string | undefined> {
  return (text) => text?.slice(0, maxLength) || undefined;
}

/** A filter by one of `values`. `undefined` for anything else. */
export function choiceFilter<const Value extends string>(values: readonly Value[]): Param<Value | undefined> {
  return (text) => values.find((value) => value === text);
}

/** One of `values`. The first for anything else. */
export function choiceParam<const Value extends string>(values: readonly [Value, ...Value[]]): Param<Value> {
  return (text) => values.find((value) => value === text) ?? values[0];
}

/** A sort order by one of the fields. `initial` for anything else. */
export function sortParam<const Field extends string>(
  fields: readonly Field[],
  initial: Sort<Field>,
): Param<Sort<Field>> {
  const downward = fields.map((field): Sort<Field> => `-${field}`);
  return choiceParam<Sort<Field>>([initial, ...fields, ...downward]);
}

/** A page number within the server's limit. 1 for anything else. */
export const pageParam: Param<number> = (text) => (/^[1-9]\d{0,5}$/.test(text ?? "") ? Number(text) : 1);

export function readParams<Table extends ParamTable>(table: Table, address: URLSearchParams): Values<Table> {
  const values = Object.entries(table).map(([name, read]) => [name, read(address.get(name))]);
  return Object.fromEntries(values) as Values<Table>;
}

/** Writes the parameters in the table's order, without those that have their default value. */
export function writeParams(table: ParamTable, values: Readonly<Record<string, ParamValue>>): URLSearchParams {
  const address = new URLSearchParams();
  for (const [name, read] of Object.entries(table)) {
    const text = String(values[name] ?? "");
    if (text !== "" && values[name] !== read(null)) address.set(name, text);
  }
  return address;
}
