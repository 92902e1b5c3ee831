import { cx } from "../../ui/cx.ts";
import type { PaletteCommand } from "./commands.tsx";
import type { Section } from "./use-sections.tsx";

type OptionsProps = {
  listId: string;
  sections: readonly Section[];
  active: PaletteCommand | undefined;
  optionId: (command: PaletteCommand) => string;
  onHover: (command: PaletteCommand) => void;
  onRun: (command: PaletteCommand) => void;
};

/** The list below the combobox. The focus stays in the field; `aria-activedescendant` names the active option. */
export function Options({ listId, sections, active, optionId, onHover, onRun }: OptionsProps) {
  if (sections.length === 0) return null;
  return (
    <div id={listId} role="listbox" className="overflow-y-auto overscroll-contain p-1.5">
      {sections.map((section) => (
        <div key={section.id} role="group" aria-labelledby={`${listId}-${section.id}`} className="pb-1">
          <p id={`${listId}-${section.id}`} className="px-2.5 pt-1.5 pb-1 text-[12px] font-medium text-faint">
            {section.title}
          </p>
          {section.commands.map((command) => (
            <div
              key={command.id}
              id={optionId(command)}
              role="option"
              tabIndex={-1}
              aria-selected={command === active}
              // The field keeps the focus, whatever the pointer does.
              onPointerDown={(event) => event.preventDefault()}
              onPointerMove={() => onHover(command)}
              onClick={() => onRun(command)}
              onKeyDown={(event) => event.key === "Enter" && onRun(command)}
              className={cx(
                "flex min-h-10 cursor-pointer items-center gap-2.5 rounded-sm px-2.5 py-1 select-none [&>svg]:text-muted",
                command === active && "bg-accent-soft text-accent-strong",
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
  );
}
