import {
  CheckboxItem,
  Content,
  Item,
  Label,
  RadioGroup,
  RadioItem,
  Root,
  Separator,
  Trigger,
} from "radix-ui/dropdown-menu";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router-dom";
import { cx } from "../cx.ts";
import { CheckIcon, ChevronRightIcon } from "../icons.tsx";
import type { MenuEntry, MenuFrame } from "./entries.ts";

type MenuPanelProps = MenuFrame & { entries: readonly MenuEntry[] };

/** The menu. With `modal={false}` the page can be scrolled, and no style sheet is injected. */
export default function MenuPanel({ entries, align, open, onOpenChange, trigger }: MenuPanelProps) {
  const content = useRef<HTMLDivElement>(null);
  const [sub, setSub] = useState<readonly MenuEntry[] | null>(null);
  useEffect(() => {
    if (sub !== null) content.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [sub]);
  function change(next: boolean) {
    setSub(null);
    onOpenChange(next);
  }
  return (
    <Root modal={false} open={open} onOpenChange={change}>
      <Trigger asChild>{trigger}</Trigger>

      <Content
        ref={content}
        align={align}
        sideOffset={6}
        collisionPadding={8}
        className="fade-in z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-lifted"
      >
        {(sub ?? entries).map((entry, index) => (
          <Entry key={index} entry={entry} onSub={setSub} />
        ))}
      </Content>
    </Root>
  );
}

const itemClass =
  "flex min-h-9 pointer-coarse:min-h-11 w-full cursor-pointer items-center gap-2 rounded-sm px-2.5 text-left outline-none select-none " +
  "data-highlighted:bg-sunken data-disabled:cursor-not-allowed data-disabled:opacity-55";

function Entry({ entry, onSub }: { entry: MenuEntry; onSub: (entries: readonly MenuEntry[]) => void }) {
  switch (entry.kind) {
    case "label":
      return <Label className="px-2.5 py-1.5 text-[13px] text-faint">{entry.content}</Label>;
    case "separator":
      return <Separator className="-mx-1 my-1 h-px bg-line" />;
    case "link":
      return (
        <Item asChild className={itemClass}>
          <Link to={entry.to}>
            {entry.icon}
            {entry.label}
          </Link>
        </Item>
      );
    case "page":
      return (
        <Item asChild className={itemClass}>
          <a href={entry.href}>
            {entry.icon}
            {entry.label}
          </a>
        </Item>
      );
    case "sub":
      return (
        <Item
          aria-haspopup="menu"
          className={itemClass}
          onSelect={(event) => {
            event.preventDefault();
            onSub(entry.entries);
          }}
        >
          {entry.icon}
          <span className="flex-1">{entry.label}</span>
          <ChevronRightIcon className="size-3.5 text-muted" />
        </Item>
      );
    case "action":
      return (
        <Item
          className={cx(itemClass, entry.danger && "text-down-ink")}
          disabled={entry.disabled}
          onSelect={entry.onSelect}
        >
          {entry.icon}
          {entry.label}
        </Item>
      );
    case "check":
      return (
        <CheckboxItem
          className={itemClass}
          checked={entry.checked}
          onCheckedChange={entry.onChange}
          onSelect={(event) => event.preventDefault()}
        >
          <span className="flex-1 pr-4">{entry.label}</span>
          {entry.checked && <CheckIcon className="size-4 text-accent" />}
        </CheckboxItem>
      );
    case "choice":
      return (
        <RadioGroup value={entry.value} onValueChange={entry.onChange}>
          {entry.options.map(({ value, label, icon, lang }) => (
            <RadioItem key={value} value={value} lang={lang} className={itemClass}>
              {icon}
              <span className="flex-1 pr-4">{label}</span>
              {value === entry.value && <CheckIcon className="size-4 text-accent" />}
            </RadioItem>
          ))}
        </RadioGroup>
      );
  }
}
