import type { Page } from "playwright-core";

// Runs in the page. Compares pixels as the browser paints them, including out-of-gamut colours (WCAG 2.2).
const measure = `(pairs) => {
  const probe = document.body.appendChild(document.createElement("i"));
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const luminance = (colour) => {
    probe.style.color = "";
    probe.style.color = colour;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const parts = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratios = pairs.map((pair) => {
    const [light, dark] = pair.map(luminance).sort((one, other) => other - one);
    return (light + 0.05) / (dark + 0.05);
  });
  probe.remove();
  return ratios;
}`;

/** Returns the contrast of each colour with its background, from 1 to 21. Both are CSS values such as `var(--link)`. */
export const contrastsOf = (page: Page, pairs: readonly (readonly [colour: string, ground: string])[]) =>
  page.evaluate<number[]>(`(${measure})(${JSON.stringify(pairs)})`);
