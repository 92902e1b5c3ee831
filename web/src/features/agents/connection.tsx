import { type TokenAnswer, useAgentsQuery } from "./api.ts";
import { ConnectionView } from "./connection-view.tsx";

/** A token that was made: its answer, the name it was asked for, and the newest agent before. A newer one used it. */
export type Issued = { answer: TokenAnswer; name: string | null; newestId: number };

export const newestAgents = { page: 1, pageSize: 10, sort: "-createdAt" } as const;

/** How often they are asked for where no live event comes. */
const askEveryMs = 3000;

/** Waits for the agent that the token is for, and shows by itself when its first report is here. */
export function Connection({ issued }: { issued: Issued }) {
  const { data } = useAgentsQuery(newestAgents, { pollingInterval: askEveryMs });
  const candidates = data?.agents
    .filter(({ id, name }) => id > issued.newestId && (issued.name === null || name === issued.name))
    .toSorted((left, right) => left.id - right.id);
  const connected = candidates?.find(({ status }) => status === "online");
  return <ConnectionView registered={candidates?.[0]?.name} connected={connected} />;
}
