/** Sets zod up once: English messages, and no compiled parsers, since one value a process is the common case. */
import * as z from 'zod/mini'
import en from 'zod/v4/locales/en.js'

z.config({ ...en(), jitless: true })
