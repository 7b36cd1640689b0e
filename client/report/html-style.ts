import type { NodeStep } from '../../core/steps/node-steps.ts';
import { stateOfStep } from '../../core/steps/steps.ts';
import { drawnSteps } from './timeline.ts';

/** A colour on light and on dark ground. */
type Colour = readonly [light: string, dark: string];

/** Colours of the steps in which a node is in progress, in their order. Neighbours also differ in lightness, and bars have numbers. */
const progressColours: readonly Colour[] = [
  ['#9cc9f5', '#2f6da8'],
  ['#3f87d0', '#7ab8f5'],
  ['#f6c667', '#b07d1a'],
  ['#c98a1c', '#f0c274'],
  ['#c9b0ea', '#6f4fa0'],
  ['#8e66c4', '#b79ae0'],
  ['#7d8590', '#8b949e'],
];

const waitingColour: Colour = ['#e3e6ea', '#2f353d'];
const restoringColour: Colour = ['#72bfae', '#2a7d6d'];
const stalledColour: Colour = ['#d0453b', '#ef7a70'];

const light = `--ground:#fff;--text:#1c2128;--dim:#57606a;--line:#d0d7de;--good:#1a7f37;--warn:#8a5a00;--bad:#b42318;--soft:#f6f8fa`;
const dark = `--ground:#14181d;--text:#e6edf3;--dim:#9da7b3;--line:#3a424c;--good:#4ac26b;--warn:#e3b341;--bad:#ff8a80;--soft:#1c2229`;

/** The style of the HTML report, for screen and print, in light and in dark. */
export const styleSheet = `
:root{color-scheme:light dark;${light};${stepVariables(0)}}
@media screen and (prefers-color-scheme:dark){:root{${dark};${stepVariables(1)}}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:1.5rem;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.15rem;margin:2rem 0 .5rem;padding-bottom:.2rem;border-bottom:1px solid var(--line)}
p,ul{margin:.4rem 0}
ul{padding-left:1.3rem}
.outcome{font-size:1.25rem;font-weight:600}
.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.figures{display:flex;flex-wrap:wrap;gap:1rem;margin:.5rem 0}
.figures div{background:var(--soft);border:1px solid var(--line);border-radius:6px;padding:.5rem 1rem;min-width:8rem}
.figures dt{color:var(--dim);font-size:.85rem}
.figures dd{margin:0;font-size:1.3rem;font-weight:600}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--dim);padding:.2rem 0}
th,td{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid var(--line);min-width:4rem}
thead th{color:var(--dim);font-weight:600;white-space:nowrap}
tbody th{font-weight:400;white-space:nowrap}
td:not(:last-child){white-space:nowrap}
td{max-width:40rem}
figure{margin:.5rem 0}
svg{width:100%;height:auto;font:11px system-ui,sans-serif}
svg text{fill:var(--text)}
svg .zone{font-weight:600;font-size:12px}
svg .number{font-size:10px;stroke:var(--ground);stroke-width:2px;paint-order:stroke}
.grid{stroke:var(--line)}
.hatch{stroke:var(--dim);stroke-width:2}
rect.unwatched{fill:url(#hatch);opacity:.6}
.loss rect{fill:var(--bad);opacity:.75}
.loss.others rect{fill:var(--warn)}
svg .loss text{fill:var(--bad);font-weight:600}
svg .loss.others text{fill:var(--warn)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0;font-size:.85rem}
.swatch{display:inline-block;min-width:1.4rem;text-align:center;border:1px solid var(--dim);color:var(--text);border-radius:3px;font-size:.75rem;text-shadow:0 0 2px var(--ground),0 0 2px var(--ground)}
.swatch.loss{color:var(--bad)}
${drawnSteps
  .map((step) => `rect.${step}{fill:var(--step-${step})}.swatch.${step}{background:var(--step-${step})}`)
  .join('\n')}
footer{margin-top:2rem;color:var(--dim);font-size:.85rem}
@page{size:landscape;margin:12mm}
@media print{body{max-width:none;padding:0;font-size:10pt}.scroll{overflow:visible}table{font-size:7pt}th,td,tbody th,td:not(:last-child){white-space:normal;padding-right:.4rem;min-width:0}thead{display:table-header-group}h2{break-after:avoid;margin-top:1.2rem}tr,figure,.figures{break-inside:avoid}rect,.swatch{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;

function stepVariables(ground: 0 | 1): string {
  return drawnSteps.map((step) => `--step-${step}:${colourOf(step)[ground]}`).join(';');
}

function colourOf(step: NodeStep): Colour {
  const state = stateOfStep(step);
  if (state === 'stalled') return stalledColour;
  if (state === 'restoring') return restoringColour;
  if (state !== 'in-progress') return waitingColour;
  const index = drawnSteps.filter((one) => stateOfStep(one) === state).indexOf(step);
  return progressColours[index % progressColours.length] ?? waitingColour;
}
