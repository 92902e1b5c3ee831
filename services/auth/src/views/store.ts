import type { Database } from "@sonde/kit/postgres/database";
import type { SavedView } from "@sonde/proto/http/views";

export function viewStore(db: Database) {
  return {
    ofUser: async (userId: number): Promise<SavedView[]> =>
      (await db("views").where({ userId }).first<{ views: SavedView[] } | undefined>("views"))?.views ?? [],
    /** Shared views of other active users, ordered by name. */
    sharedWith: async (userId: number, limit: number): Promise<(SavedView & { by: string })[]> => {
      const { rows } = await db.raw<{ rows: { view: SavedView; by: string }[] }>(
        `select view, users.username as by
           from views join users on users.id = views.user_id, jsonb_array_elements(views.views) as view
          where views.user_id <> ? and users.status = 'active' and view->>'shared' = 'true'
          order by view->>'name', users.id limit ?`,
        [userId, limit],
      );
      return rows.map(({ view: { shared: _shared, ...view }, by }) => ({ ...view, by }));
    },
    save: async (userId: number, views: readonly SavedView[]): Promise<void> => {
      await db("views")
        .insert({ userId, views: JSON.stringify(views) })
        .onConflict("userId")
        .merge();
    },
  };
}
