import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from "react";
import { Button } from "../button.tsx";

/** What a menu holds, from top to bottom. */
export type MenuEntry =
  | { kind: "label"; content: ReactNode }
  | { kind: "separator" }
  | { kind: "link"; to: string; icon?: ReactNode; label: ReactNode }
  /** Leads out of the app, to a page that the server writes itself. */
  | { kind: "page"; href: string; icon?: ReactNode; label: ReactNode }
  /** A menu in the place of this one. */
  | { kind: "sub"; entries: readonly MenuEntry[]; icon?: ReactNode; label: ReactNode }
  | { kind: "action"; onSelect: () => void; icon?: ReactNode; label: ReactNode; danger?: boolean; disabled?: boolean }
  /** One of several that may all hold; the menu stays open. */
  | { kind: "check"; checked: boolean; onChange: () => void; label: ReactNode }
  | {
      kind: "choice";
      value: string;
      onChange: (value: string) => void;
      options: readonly { value: string; label: ReactNode; icon?: ReactNode; lang?: string }[];
    };

/** What a menu's panel is drawn with, beside its entries. */
export type MenuFrame = {
  align: "start" | "end";
  open: boolean;
  onOpenChange: (open: boolean) => void;
  trigger: ReactNode;
};

type MenuProps = Omit<ComponentProps<typeof Button>, "onClick"> & {
  align?: "start" | "end";
} & (
    | { entries: readonly MenuEntry[]; panelOf?: undefined }
    /** Draws a panel that brings its entries along: of a menu that many rows have, which is to be light until it opens. */
    | { panelOf: (frame: MenuFrame) => ReactNode; entries?: undefined }
  );

const loadPanel = () => import("./menu-panel.tsx");
const MenuPanel = lazy(loadPanel);

/**
 * A button with a menu below it. Radix and its positioning, a sixth of the first page's budget, are loaded when a user
 * opens a menu for the first time, not with the page.
 */
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
