import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from "react";
import { Button } from "../button.tsx";
import type { MenuEntry, MenuFrame } from "./entries.ts";

type MenuProps = Omit<ComponentProps<typeof Button>, "onClick"> & {
  align?: "start" | "end";
} & (
    | { entries: readonly MenuEntry[]; panelOf?: undefined }
    /** Renders a panel that creates its own entries. Keeps menus cheap that every row has. */
    | { panelOf: (frame: MenuFrame) => ReactNode; entries?: undefined }
  );

const loadPanel = () => import("./menu-panel.tsx");
const MenuPanel = lazy(loadPanel);

/** A button with a menu. Radix, a sixth of the first page's budget, is loaded when a menu is first opened. */
export function Menu({ entries, panelOf, align = "end", ...button }: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const [open, setOpen] = useState(false);
  if (!wanted) {
    const want = () => {
      setWanted(true);
      setOpen(true);
    };
    return (
      <Button
        {...button}
        aria-haspopup="menu"
        aria-expanded={false}
        onPointerEnter={() => void loadPanel()}
        onFocus={() => void loadPanel()}
        onClick={want}
        onKeyDown={(event) => event.key === "ArrowDown" && want()}
      />
    );
  }
  const frame = { align, open, onOpenChange: setOpen, trigger: <Button {...button} /> };
  return (
    <Suspense fallback={<Button {...button} aria-haspopup="menu" aria-expanded aria-busy />}>
      {panelOf === undefined ? <MenuPanel entries={entries} {...frame} /> : panelOf(frame)}
    </Suspense>
  );
}
