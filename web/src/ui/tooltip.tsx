import { Content, Portal, Provider, Root, Trigger } from "radix-ui/tooltip";
import type { ReactNode } from "react";

/** A word about a control on hover and focus. The control keeps a name of its own. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Provider delayDuration={300}>
      <Root>
        <Trigger asChild>{children}</Trigger>
        <Portal>
          <Content
            sideOffset={6}
            collisionPadding={8}
            className="fade-in z-50 max-w-72 rounded-md border border-line bg-raised px-2.5 py-1.5 text-[13px] text-ink shadow-lifted"
          >
            {text}
          </Content>
        </Portal>
      </Root>
    </Provider>
  );
}
