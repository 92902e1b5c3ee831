import { Content, List, Root, Trigger } from "radix-ui/tabs";
import type { ReactNode } from "react";

type TabsProps<Value extends string> = {
  value: Value;
  onChange: (value: Value) => void;
  label: string;
  /** Enter selects the tab focused by arrow keys: for tabs that load data or may be blocked. */
  byEnter?: boolean;
  tabs: readonly { value: Value; label: ReactNode; content: ReactNode }[];
};

/** On a phone the last tabs are out of view. */
function scrollTo(tab: HTMLElement | null) {
  const list = tab?.parentElement;
  if (list) list.scrollLeft = tab.offsetLeft + tab.offsetWidth - list.clientWidth;
}

export function Tabs<Value extends string>({ value, onChange, label, byEnter = false, tabs }: TabsProps<Value>) {
  return (
    <Root
      value={value}
      activationMode={byEnter ? "manual" : "automatic"}
      onValueChange={(next) => onChange(next as Value)}
    >
      <List aria-label={label} className="flex gap-5 overflow-x-auto shadow-[inset_0_-1px_var(--color-line)]">
        {tabs.map((tab) => (
          <Trigger
            key={tab.value}
            value={tab.value}
            ref={tab.value === value ? scrollTo : undefined}
            className="min-h-10 border-b-2 border-transparent px-0.5 font-medium whitespace-nowrap text-muted transition-colors hover:text-ink focus-visible:outline-offset-[-2px] data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Trigger>
        ))}
      </List>
      {tabs.map((tab) => (
        <Content key={tab.value} value={tab.value} className="pt-5">
          {tab.content}
        </Content>
      ))}
    </Root>
  );
}
