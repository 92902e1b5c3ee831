import { StartupError } from "@sonde/kit/embedded/startup-error";
import type { HistoryContents, HistoryPart, HistorySource, RowCount } from "@sonde/metrics/backup/parts";
import { rowsHeader } from "@sonde/metrics/backup/serve";
import { get, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";

/** A piece that is there no more: its rows became too old since the list was made. */
export class PartGone extends Error {}

/** Reads the time series of an embedded ClickHouse, which the service metrics serves. */
export function remoteSource(url: string, token: string): HistorySource {
  const ask = async (path: string): Promise<IncomingMessage> => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = get(new URL(path, url), { headers: { authorization: `Bearer ${token}` }, agent: false }, resolve);
      request.once("error", reject);
    }).catch((cause: unknown) => {
      throw new StartupError(`The service metrics does not answer at ${url}: does Sonde run there?`, { cause });
    });
    if (answer.statusCode === 200) return answer;
    answer.resume();
    if (answer.statusCode === 401) throw new StartupError(`The service metrics at ${url} refuses this BACKUP_TOKEN.`);
    if (answer.statusCode === 404) throw new PartGone();
    throw new StartupError(`The service metrics at ${url} could not read its history; its log has the reason.`);
  };
  return {
    contents: async () => (await json(await ask("/parts"))) as HistoryContents,
    async read({ table, partition }: HistoryPart) {
      const body = await ask(`/parts/${table}/${partition}`);
      const rows = JSON.parse(String(body.headers[rowsHeader])) as RowCount;
      return { body, rows };
    },
    close: async () => {},
  };
}
