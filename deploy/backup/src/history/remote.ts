import { StartupError } from "@sonde/kit/service/startup-error";
import type { HistoryContents, HistoryPart, HistorySource, RowCount } from "@sonde/metrics/backup/parts";
import { rowsHeader } from "@sonde/metrics/backup/serve";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

/** Reads the time series of an embedded ClickHouse, which the service metrics serves. */
export function remoteSource(url: string, token: string): HistorySource {
  /** Returns undefined for a piece that has no rows any more. */
  const ask = async (path: string): Promise<IncomingMessage | undefined> => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = get(new URL(path, url), { headers: { authorization: `Bearer ${token}` }, agent: false }, resolve);
      request.once("error", reject);
    }).catch((cause: unknown) => {
      throw new StartupError(`The metrics service does not respond at ${url}. Is Sonde running there?`, { cause });
    });
    if (answer.statusCode === 200) return answer;
    answer.resume();
    if (answer.statusCode === 401) throw new StartupError(`The metrics service at ${url} rejects this BACKUP_TOKEN.`);
    if (answer.statusCode === 404) return undefined;
    throw new StartupError(`The metrics service at ${url} could not read its history; see its log.`);
  };
  return {
    async contents() {
      const list = await ask("/parts");
      if (list === undefined) throw new StartupError(`${url} is not a metrics service. Check HISTORY_URL.`);
      return (await json(list)) as HistoryContents;
    },
    async read({ table, partition }: HistoryPart) {
      const body = await ask(`/parts/${table}/${partition}`);
      if (body === undefined) return undefined;
      const rows = JSON.parse(String(body.headers[rowsHeader])) as RowCount;
      return { body, rows };
    },
    close: async () => {},
  };
}
