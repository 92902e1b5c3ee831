import type { ClickHouseClient } from "@clickhouse/client";

export async function rowsOf<Row>(
  client: ClickHouseClient,
  query: string,
  query_params: Record<string, unknown> = {},
): Promise<Row[]> {
  const answer = await client.query({ query, query_params, format: "JSONEachRow" });
  return answer.json<Row>();
}

export type Statement = [query: string, parameters: Record<string, unknown>];

export const rowsOfAll = async <Row>(
  client: ClickHouseClient,
  statements: readonly Statement[],
  shared: Record<string, unknown> = {},
): Promise<Row[]> =>
  (await Promise.all(statements.map(([query, own]) => rowsOf<Row>(client, query, { ...own, ...shared })))).flat();

export const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
