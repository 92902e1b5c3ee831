import { useTranslation } from "react-i18next";
import { Spinner } from "../../ui/button.tsx";
import { showOverlay, typeAhead, typedAhead } from "./keys.ts";
import { paletteLook } from "./palette-look.ts";

/** Shows the palette's field at once and collects input until the palette's chunk is loaded. */
export function PaletteFrame() {
  const { t } = useTranslation();
  return (
    <>
      <div data-scroll-lock className={paletteLook.shade} />
      <div role="dialog" aria-label={t("nav.palette")} className={paletteLook.box}>
        <div className={paletteLook.line}>
          <Spinner />
          <input
            type="text"
            aria-label={t("nav.palette")}
            autoFocus
            autoComplete="off"
            spellCheck={false}
            defaultValue={typedAhead()}
            onChange={({ target }) => typeAhead(target.value)}
            onKeyDown={({ key }) => key === "Escape" && showOverlay(null)}
            className={paletteLook.field}
          />
        </div>
      </div>
    </>
  );
}
