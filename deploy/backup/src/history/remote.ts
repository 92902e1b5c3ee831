import { StartupError } from "@sonde/kit/service/startup-error";
import type { HistoryContents, HistoryPart, HistorySource, RowCount } from "@sonde/metrics/backup/parts";
import { rowsHeader } from "@sonde/metrics/backup/serve";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

/** Reads the time series of an embedded ClickHouse over the HTTP server of the metrics service. */
export function remoteSource(url: string, token: string): HistorySource {
  /** Returns undefined for a part that no longer has rows. */
  const request = async (path: string): Promise<IncomingMessage | undefined> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = get(new URL(path, url), { headers: { authorization: `Bearer ${token}` }, agent: false }, resolve);
      sent.once("error", reject);
    }).catch((cause: unknown) => {
      throw new StartupError(`The metrics service does not respond at ${url}. Is Sonde running there?`, { cause });
    });
    if (response.statusCode === 200) return response;
    response.resume();
    if (response.statusCode === 401) throw new StartupError(`The metrics service at ${url} rejects this BACKUP_TOKEN.`);
    if (response.statusCode === 404) return undefined;
    throw new StartupError(`The metrics service at ${url} could not read its history; see its log.`);
  };
  return {
    async contents() {
      const list = await request("/parts");
      if (list === undefined) throw new StartupError(`${url} is not a metrics service. Check HISTORY_URL.`);
      return (await json(list)) as HistoryContents;
    },
    async read({ table, partition }: HistoryPart) {
      const body = await request(`/parts/${table}/${partition}`);
      if (body === undefined) return undefined;
      const rows = JSON.parse(String(body.headers[rowsHeader])) as RowCount;
      return { body, rows };
    },
    close: async () => {},
  };
}
