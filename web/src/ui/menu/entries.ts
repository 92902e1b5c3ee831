import type { ReactNode } from "react";

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
