import { type ComponentProps, lazy, Suspense } from "react";
import { useSession } from "../../../app/hooks.ts";
import type { SilenceMenu } from "../../../entities/silences/silence-menu.tsx";

// Loaded only where a tag can be silenced.
const Menu = lazy(async () => ({ default: (await import("../../../entities/silences/silence-menu.tsx")).SilenceMenu }));

type TagSilenceProps = { tag: string | undefined } & Omit<ComponentProps<typeof SilenceMenu>, "target" | "name">;

export function TagSilence({ tag, ...look }: TagSilenceProps) {
  const { mayChange } = useSession();
  if (tag === undefined || !mayChange) return null;
  return (
    <Suspense>
      <Menu target={{ type: "tag", name: tag }} name={tag} {...look} />
    </Suspense>
  );
}
