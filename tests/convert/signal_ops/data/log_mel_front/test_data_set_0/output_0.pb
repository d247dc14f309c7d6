
ByJxjýA¿AuF"AÇ9!A$$Aã"A,? A²æ AßÊ Ab°AzÏ A’ú!A›:A@ AÔIA¢`Aþ·!A:"Ar£Ab¨"A)!A‚l!A¯|!AÃÇ#A'­AéA z A4VA†W!Aå9 A