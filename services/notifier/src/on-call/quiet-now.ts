import type { Client } from "@sonde/kit/bus/rpc";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { NoticeContext } from "./handoff-message.ts";

const maxWindows = 50;

/** Returns what is silenced or in maintenance now, the first to end first. Rejects while status-page is unavailable. */
export async function quietNow(
  statusPage: Pick<Client<typeof statusContract>, "listSilences" | "listMaintenance">,
): ReturnType<NoticeContext["quiet"]> {
  const [{ silences }, { maintenance }] = await Promise.all([
    statusPage.listSilences({}),
    statusPage.listMaintenance({ status: "running", page: 1, pageSize: maxWindows }),
  ]);
  const found = [
    ...silences.map(({ target, until }) => ({ name: target.name, isMaintenance: false, untilMs: Date.parse(until) })),
    ...maintenance.flatMap(({ name, next }) =>
      next === undefined ? [] : [{ name, isMaintenance: true, untilMs: Date.parse(next.end) }],
    ),
  ];
  return found.toSorted((one, other) => one.untilMs - other.untilMs);
}
