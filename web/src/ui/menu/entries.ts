import type { ReactNode } from "react";

export type MenuEntry =
  | { kind: "label"; content: ReactNode }
  | { kind: "separator" }
  | { kind: "link"; to: string; icon?: ReactNode; label: ReactNode }
  /** A page that the server renders, outside the app. */
  | { kind: "page"; href: string; icon?: ReactNode; label: ReactNode }
  /** Opens a submenu in place of the menu. */
  | { kind: "sub"; entries: readonly MenuEntry[]; icon?: ReactNode; label: ReactNode }
  | { kind: "action"; onSelect: () => void; icon?: ReactNode; label: ReactNode; danger?: boolean; disabled?: boolean }
  /** A checkbox entry. The menu stays open. */
  | { kind: "check"; checked: boolean; onChange: () => void; label: ReactNode }
  | {
      kind: "choice";
      value: string;
      onChange: (value: string) => void;
      options: readonly { value: string; label: ReactNode; icon?: ReactNode; lang?: string }[];
    };

/** Props of a menu panel in addition to its entries. */
export type MenuFrame = {
  align: "start" | "end";
  open: boolean;
  onOpenChange: (open: boolean) => void;
  trigger: ReactNode;
};
