import { AppError } from "@sonde/kit/errors";
import { maxSharedViews, type SavedView } from "@sonde/proto/http/views";
import { type Context, requireActor } from "../context.ts";

type Views = { views: SavedView[]; shared: (SavedView & { by: string })[] };

export async function listViews(ctx: Context): Promise<Views> {
  const { id } = requireActor(ctx);
  const [views, shared] = await Promise.all([
    ctx.store.views.ofUser(id),
    ctx.store.views.sharedWith(id, maxSharedViews),
  ]);
  return { views, shared };
}

/**
 * Replaces the caller's views.
 * @throws AppError `forbidden` if a viewer shares one that was not shared before the user became a viewer
 */
export async function saveViews(ctx: Context, { views }: { views: SavedView[] }): Promise<Views> {
  const { id, role } = requireActor(ctx);
  if (role === "viewer") {
    const before = await ctx.store.views.ofUser(id);
    const wasShared = ({ name, query }: SavedView) =>
      before.some((view) => view.shared && view.name === name && view.query === query);
    if (views.some((view) => view.shared && !wasShared(view)))
      throw new AppError("forbidden", "You are not allowed to do this");
  }
  await ctx.store.views.save(id, views);
  return listViews(ctx);
}
