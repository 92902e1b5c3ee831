import { useAgentsQuery } from "./api.ts";
import { ConnectionView } from "./connection-view.tsx";
import { type Issued, newest } from "./create-screen.tsx";

const askEveryMs = 3000;

/** Waits for the agent that the token is for, and turns by itself when its first report is here. */
export function Connection({ issued }: { issued: Issued }) {
  // Live events move this list too; asking is for where they do not come.
  const { data } = useAgentsQuery(newest, { pollingInterval: askEveryMs });
  const came = data?.agents
    .filter(({ id, name }) => id > issued.newestId && (issued.name === null || name === issued.name))
    .toSorted((left, right) => left.id - right.id);
  const connected = came?.find(({ status }) => status === "online");
  return <ConnectionView registered={came?.[0]?.name} connected={connected} />;
}
