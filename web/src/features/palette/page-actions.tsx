import { ArrowRightIcon, PlayIcon } from "../../ui/icons.tsx";
import type { PaletteCommand } from "./commands.tsx";

/**
 * What the header of the page below offers, by its own words: a page need not list it twice. Read when the palette opens,
 * and found again when it is chosen, since the page may have been drawn again.
 */
export function pageActions(): PaletteCommand[] {
  return [...usable()].map(([label, element]) => ({
    id: `page ${label}`,
    icon: element instanceof HTMLAnchorElement ? <ArrowRightIcon /> : <PlayIcon />,
    label,
    run: () => {
      // The palette closes first and gives the focus back; a dialog that opens now takes it from here.
      setTimeout(() => {
        const now = usable().get(label);
        now?.focus();
        now?.click();
      });
    },
  }));
}

/** The header's links and buttons that can be used now, by name. */
function usable(): Map<string, HTMLElement> {
  const found = document.querySelectorAll<HTMLElement>("main [data-page-actions] :is(button, a[href])");
  const isUsable = (element: HTMLElement) =>
    !element.matches(":disabled, [aria-disabled=true], [role=radio]") && element.checkVisibility?.() !== false;
  return new Map([...found].filter(isUsable).map((element) => [nameOf(element), element] as const));
}

const nameOf = (element: HTMLElement) => element.getAttribute("aria-label") ?? element.textContent.trim();
