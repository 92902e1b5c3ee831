import { Content, Portal, Root, Title } from "radix-ui/dialog";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { openedFrom, showOverlay, typedAhead } from "../../app/keyboard/keys.ts";
import { paletteLook } from "../../app/keyboard/palette-look.ts";
import { Lines } from "../../ui/alert.tsx";
import { Spinner } from "../../ui/button.tsx";
import { useCombobox } from "../../ui/menu/combobox.tsx";
import { cx } from "../../ui/cx.ts";
import { SearchIcon } from "../../ui/icons.tsx";
import type { PaletteCommand } from "./commands.tsx";
import { Key } from "./key.tsx";
import { useSections } from "./sections.tsx";

export default function Palette() {
  const { t } = useTranslation();
  const [text, setText] = useState(typedAhead);
  // The command whose actions are listed.
  const [of, setOf] = useState<PaletteCommand | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const found = useSections(text.trim(), of);
  const commands = found.sections.flatMap((section) => section.commands);
  const box = useCombobox({
    options: commands,
    keyOf: ({ id }) => id,
    followsPointer: true,
    onPick: run,
    onKey({ key, ctrlKey, metaKey, shiftKey }, active) {
      const closes = key.toLowerCase() === "k" && (ctrlKey || metaKey);
      if (closes) showOverlay(null);
      const opens = key === "Tab" && !shiftKey && hasActions(active);
      if (opens) ask(active ?? null);
      const leaves = key === "Backspace" && text === "" && of !== null;
      if (leaves) ask(null);
      return closes || opens || leaves;
    },
  });
  function ask(next: PaletteCommand | null) {
    setOf(next);
    setText("");
    box.reset();
  }
  function run(command: PaletteCommand) {
    showOverlay(null);
    void command.run();
  }
  const isEmpty = commands.length === 0;

  return (
    <Root open onOpenChange={(open) => !open && showOverlay(null)}>
      <Portal>
        <div data-scroll-lock className={paletteLook.shade} />
        <Content
          aria-describedby={undefined}
          // Continues after the text typed so far instead of selecting it.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            field.current?.focus();
            field.current?.setSelectionRange(text.length, text.length);
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            restoreFocus(openedFrom());
          }}
          className={paletteLook.box}
        >
          <Title className="sr-only">{t("nav.palette")}</Title>
          <div className={paletteLook.line}>
            {found.isSearching ? <Spinner /> : <SearchIcon className="size-4 text-faint" />}
            <input
              {...box.field}
              ref={field}
              // Focused on mount, so that no key is lost between the frame's field and this one.
              autoFocus
              type="text"
              role="combobox"
              aria-label={t("nav.palette")}
              aria-expanded={!isEmpty}
              aria-controls={box.listId}
              placeholder={of === null ? t("palette.placeholder") : t("palette.placeholderOf", { name: of.label })}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                box.reset();
              }}
              className={paletteLook.field}
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
                      {command === box.active && hasActions(command) && (
                        <span aria-hidden="true" title={t("palette.more", { name: command.label })}>
                          <Key>Tab</Key>
                        </span>
                      )}
                    </div>
                  ))}
                </div>
              ))}
            </div>
          )}
          {found.failure !== null && (
            <p role="alert" className="px-4 py-3 text-down-ink">
              <Lines text={found.failure} />
            </p>
          )}
          {isEmpty && found.failure === null && (
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

const hasActions = (command: PaletteCommand | undefined) => (command?.actions ?? []).length > 0;

/** Returns the focus to the opener. If it is gone, the page takes the focus, unless a new page already has it. */
function restoreFocus(opener: Element | null) {
  if (document.activeElement !== document.body && document.activeElement?.closest("main") != null) return;
  const focusTarget =
    opener?.isConnected === true && opener !== document.body ? opener : document.getElementById("content");
  if (focusTarget instanceof HTMLElement) focusTarget.focus({ preventScroll: true });
}
