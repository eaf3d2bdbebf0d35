// main.js - the page of the server that sent it.

import { ServerEngine } from './engine.js';
import { start } from './start.js';

await start(new ServerEngine());
