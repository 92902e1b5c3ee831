import { Content, Portal, Root, Title } from "radix-ui/dialog";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { showOverlay, typedAhead } from "../../app/keyboard/keys.ts";
import { Lines } from "../../ui/alert.tsx";
import { Spinner } from "../../ui/button.tsx";
import { useCombobox } from "../../ui/combobox.tsx";
import { cx } from "../../ui/cx.ts";
import { SearchIcon } from "../../ui/icons.tsx";
import type { PaletteCommand } from "./commands.tsx";
import { Key } from "./key.tsx";
import { useSections } from "./sections.tsx";

/** Jumps anywhere: a combobox over pages, actions and, by the server's search, monitors, agents and users. */
export default function Palette() {
  const { t } = useTranslation();
  const [text, setText] = useState(typedAhead);
  const opener = useRef<Element | null>(null);
  const found = useSections(text.trim());
  const commands = found.sections.flatMap((section) => section.commands);
  const box = useCombobox({
    options: commands,
    keyOf: ({ id }) => id,
    followsPointer: true,
    onPick: run,
    onKey({ key, ctrlKey, metaKey }) {
      const closes = key.toLowerCase() === "k" && (ctrlKey || metaKey);
      if (closes) showOverlay(null);
      return closes;
    },
  });
  function run(command: PaletteCommand) {
    showOverlay(null);
    command.run();
  }
  const isEmpty = commands.length === 0;

  return (
    <Root open onOpenChange={(open) => !open && showOverlay(null)}>
      <Portal>
        <div data-scroll-lock className="fade-in fixed inset-0 z-40 bg-shade" />
        <Content
          aria-describedby={undefined}
          onOpenAutoFocus={() => {
            opener.current = document.activeElement;
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            giveFocusBack(opener.current);
          }}
          className="fade-in fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[min(38rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-lifted"
        >
          <Title className="sr-only">{t("nav.palette")}</Title>
          <div className="flex items-center gap-2.5 border-b border-line px-4">
            {found.isSearching ? <Spinner /> : <SearchIcon className="size-4 text-faint" />}
            <input
              {...box.field}
              type="text"
              role="combobox"
              aria-label={t("nav.palette")}
              aria-expanded={!isEmpty}
              aria-controls={box.listId}
              placeholder={t("palette.placeholder")}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                box.reset();
              }}
              className="h-12 min-w-0 flex-1 bg-transparent text-[15px] outline-none"
            />
            <button
              type="button"
              onClick={() => showOverlay(null)}
              className="inline-flex min-h-6 items-center rounded-sm"
            >
              <span className="sr-only">{t("common.close")}</span>
              <Key>Esc</Key>
            </button>
          </div>
          {/* The focus stays in the field; `aria-activedescendant` names the active option. */}
          {!isEmpty && (
            <div id={box.listId} role="listbox" className="overflow-y-auto overscroll-contain p-1.5">
              {found.sections.map((section) => (
                <div key={section.id} role="group" aria-labelledby={`${box.listId}-${section.id}`} className="pb-1">
                  <p
                    id={`${box.listId}-${section.id}`}
                    className="px-2.5 pt-1.5 pb-1 text-[12px] font-medium text-faint"
                  >
                    {section.title}
                  </p>
                  {section.commands.map((command) => (
                    <div
                      key={command.id}
                      {...box.propsOf(command)}
                      className={cx(
                        "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-sm px-2.5 py-1 select-none [&>svg]:text-muted",
                        command === box.active && "bg-accent-soft text-accent-strong",
                      )}
                    >
                      {command.icon}
                      <span className="max-w-[65%] min-w-0 shrink-0 truncate max-sm:max-w-none max-sm:shrink">
                        {command.label}
                      </span>
                      {command.note !== undefined && (
                        <span className="ml-auto flex min-w-0 items-center justify-end gap-3">{command.note}</span>
                      )}
                    </div>
                  ))}
                </div>
              ))}
            </div>
          )}
          {found.fault !== null && (
            <p role="alert" className="px-4 py-3 text-down-ink">
              <Lines text={found.fault} />
            </p>
          )}
          {isEmpty && found.fault === null && (
            <p className="px-4 py-8 text-center text-muted">
              {found.isSearching ? t("palette.searching") : t("palette.none", { text: text.trim() })}
            </p>
          )}
          <p role="status" className="sr-only">
            {found.isSearching ? t("palette.searching") : t("palette.results", { count: commands.length })}
          </p>
        </Content>
      </Portal>
    </Root>
  );
}

/** To where it came from; after a jump, when that is gone or the new page has taken the focus itself, to the page. */
function giveFocusBack(opener: Element | null) {
  if (document.activeElement !== document.body && document.activeElement?.closest("main") != null) return;
  const focusTarget =
    opener?.isConnected === true && opener !== document.body ? opener : document.getElementById("content");
  if (focusTarget instanceof HTMLElement) focusTarget.focus({ preventScroll: true });
}
