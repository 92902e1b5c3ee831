import type { ClickHouseClient } from "@clickhouse/client";

/** The rows that a statement answers; parameters are bound. */
export async function rowsOf<Row>(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, unknown> = {},
): Promise<Row[]> {
  const answer = await client.query({ query, query_params, format: "JSONEachRow" });
  return answer.json<Row>();
}

/** A statement and its parameters. */
export type Statement = [query: string, parameters: Record<string, unknown>];

/** The rows of several statements, each with these parameters too. */
export const rowsOfAll = async <Row>(
  client: ClickHouseClient,
  statements: readonly Statement[],
  shared: Record<string, unknown> = {},
): Promise<Row[]> =>
  (await Promise.all(statements.map(([query, own]) => rowsOf<Row>(client, query, { ...own, ...shared })))).flat();

/** A text as ClickHouse's SQL has it. */
export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
