import type { ListAnnouncementsRequest } from "@sonde/proto/gen/status/v1/status";
import type { Context } from "../context.ts";
import { missing } from "./limits.ts";
import { listPage, readWhole, type AnnouncementWithUpdates } from "./list-store.ts";

const largestId = 2_147_483_647;

/** One, with its updates. @throws AppError `not_found` */
export async function getAnnouncement({ db }: Pick<Context, "db">, id: number): Promise<AnnouncementWithUpdates> {
  const [found] = id <= largestId ? await readWhole(db, [id]) : [];
  if (found === undefined) throw missing();
  return found;
}

/** One page, open ones first, then the newest, as far as it fits into one message of the bus. */
export function listAnnouncements({ db }: Pick<Context, "db">, request: ListAnnouncementsRequest) {
  const { page, pageSize, open = null, incidentId } = request;
  return listPage(db, {
    page: Math.max(1, page),
    pageSize: Math.min(200, pageSize || 50),
    open,
    incidentId: incidentId || null,
    ids: request.ids.filter((id) => id <= largestId),
  });
}
