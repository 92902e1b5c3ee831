import type { DecisionContext } from "../alerts/deciding.ts";
import { deleteChannel } from "../channels/channels.ts";
import { deviceName } from "./contacts/devices.ts";
import { addNotice } from "./notices.ts";

type Row = { id: number; userId: number; name: string };

/**
 * Removes devices that accept no more messages (their channel is dead), and tells each person once by another contact.
 * Returns how many.
 */
export async function removeGoneDevices(
  deps: Pick<DecisionContext, "db" | "clock" | "log" | "people" | "readerOf">,
): Promise<number> {
  const gone = { type: "web-push", isDead: true };
  const userIds = await deps.db("channels").where(gone).whereNotNull("user_id").pluck<number[]>("user_id");
  if (userIds.length === 0) return 0;
  const users = await deps.people(userIds);
  const rows = await deps.db.transaction(async (trx) => {
    const locked = await trx("channels").where(gone).whereNotNull("user_id").forUpdate().skipLocked().select<Row[]>();
    for (const { id } of locked) await deleteChannel(trx, id);
    for (const { id, userId, name } of locked) {
      const notice = { kind: "device-removed", userId, device: deviceName(name) } as const;
      const person = users.get(userId) ?? undefined;
      await addNotice(trx, deps, { key: `device-removed-${id}`, notice, person, ways: ["low", "high", "mail"] });
    }
    return locked;
  });
  for (const { id, userId: user } of rows) deps.log.info({ channelId: id, user }, "device removed: it is gone");
  return rows.length;
}
