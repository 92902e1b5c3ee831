import { type ComponentProps, lazy, type ReactNode, Suspense, useState } from "react";
import { Button } from "../button.tsx";

/** What a menu holds, from top to bottom. */
export type MenuEntry =
  | { kind: "label"; content: ReactNode }
  | { kind: "separator" }
  | { kind: "link"; to: string; icon?: ReactNode; label: ReactNode }
  /** Leads out of the app, to a page that the server writes itself. */
  | { kind: "page"; href: string; icon?: ReactNode; label: ReactNode }
  | { kind: "action"; onSelect: () => void; icon?: ReactNode; label: ReactNode; danger?: boolean; disabled?: boolean }
  /** One of several that may all hold; the menu stays open. */
  | { kind: "check"; checked: boolean; onChange: () => void; label: ReactNode }
  | {
      kind: "choice";
      value: string;
      onChange: (value: string) => void;
      options: readonly { value: string; label: ReactNode; icon?: ReactNode; lang?: string }[];
    };

type MenuProps = Omit<ComponentProps<typeof Button>, "onClick"> & {
  entries: readonly MenuEntry[];
  align?: "start" | "end";
};

const loadPanel = () => import("./menu-panel.tsx");
const MenuPanel = lazy(loadPanel);

/**
 * A button with a menu below it. Radix and its positioning, a sixth of the first page's budget, are loaded when a user
 * opens a menu for the first time, not with the page.
 */
export function Menu({ entries, align = "end", ...button }: MenuProps) {
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
  return (
    <Suspense fallback={<Button {...button} aria-haspopup="menu" aria-expanded aria-busy />}>
      <MenuPanel entries={entries} align={align} open={open} onOpenChange={setOpen} trigger={<Button {...button} />} />
    </Suspense>
  );
}
